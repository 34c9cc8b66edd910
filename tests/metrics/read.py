# Reads a page of OpenMetrics from the standard input, and says what the example's page lacks.
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families

families = {f.name: f for f in text_string_to_metric_families(sys.stdin.read())}
for f in families.values():
    if not f.documentation:
        print(f"{f.name} has no help text")


def value(family, sample_name, **labels):
    for sample in families[family].samples:
        if sample.name == sample_name and labels.items() <= sample.labels.items():
            return sample.value
    print(f"{sample_name} with {labels} is missing")
    return 0


api = value("weir_limit_units", "weir_limit_units_total", name="api")
if api < 100:
    print(f"the limit api has admitted {api} units")
emitted = value("weir_pacer_lateness_seconds", "weir_pacer_lateness_seconds_count", name="mails")
late = value("weir_pacer_lateness_seconds", "weir_pacer_lateness_seconds_bucket", name="mails", le="+Inf")
if emitted == 0 or late != emitted:
    print(f"the pacer has emitted {emitted} items, and told how late {late} were")
if families["weir_pacer_queue_seconds"].unit != "seconds":
    print("a time has no unit")

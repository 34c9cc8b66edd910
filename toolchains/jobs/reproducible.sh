# The files of a release, made twice: in two folders, without ccache; they must be the same to the byte
packages="$native libboost-dev dpkg-dev file git python3 python3-venv"
takes="a minute or two"
reader=11.12.0 # of bills of materials

run() {
    local from=build/reproducible folder
    local first=$from/one second=$from/another/folder
    rm -rf $from
    for folder in $first $second; do
        git clone --quiet . $folder
        CCACHE_DISABLE=1 $folder/toolchains/bootstrap release > $from/log 2>&1 || {
            cat $from/log
            exit 1
        }
    done
    cat $first/build/release/SHA256SUMS
    if ! diff $first/build/release/SHA256SUMS $second/build/release/SHA256SUMS; then
        say "the second build has other bytes: compare $first/build/release with $second/build/release"
        exit 1
    fi
    read_bill $first/build/release/*.cdx.json
    say "both builds are the same, and the bill of materials is a valid one"
}

# By the schema of CycloneDX.
read_bill() {
    source toolchains/download.sh
    unpack_python "cyclonedx-python-lib[json-validation]" $reader build/cyclonedx
    build/cyclonedx/bin/python - "$1" << 'end'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
mistake = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(mistake and f"{sys.argv[1]}: {mistake}")
end
}

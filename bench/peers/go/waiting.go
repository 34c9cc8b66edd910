// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"time"

	"github.com/juju/ratelimit"
	uber "go.uber.org/ratelimit"
	"golang.org/x/time/rate"
)

// Units that were admitted between two calls that were admitted as soon as they could be, and the
// time between these calls; see worker.hpp.
func accuracy(l limit, units int, length time.Duration) (admitted int, between time.Duration) {
	soon := length / 50_000
	var first, last, sinceRefusal time.Time
	refused := false
	since := 0 // admitted since the first of the two calls
	begin := time.Now()
	for before := begin; before.Sub(begin) < length; {
		ok := l.some(units)
		after := time.Now()
		if !ok {
			sinceRefusal = before
		} else {
			if refused && after.Sub(sinceRefusal) < soon {
				if first.IsZero() {
					first, since = after, 0
				}
				last, admitted = after, since
			}
			since += units
		}
		refused = !ok
		before = after
	}
	return admitted, last.Sub(first)
}

func waits(name, title string, make func(perSecond int) func()) row {
	return row{name: name, title: title, demands: []string{"waiting"}, wait: make}
}

// Those that have a burst have one of ten.
func waitingRows() []row {
	return []row{
		waits("x_time_wait", "x/time/rate Wait", func(perSecond int) func() {
			l := rate.NewLimiter(rate.Limit(perSecond), 10)
			return func() { _ = l.Wait(context.Background()) }
		}),
		waits("juju_wait", "juju/ratelimit Wait", func(perSecond int) func() {
			l := ratelimit.NewBucketWithRate(float64(perSecond), 10)
			return func() { l.Wait(1) }
		}),
		waits("uber_take", "uber-go/ratelimit Take, slack of 10", func(perSecond int) func() {
			l := uber.New(perSecond)
			return func() { l.Take() }
		}),
		waits("uber_without_slack", "uber-go/ratelimit Take, WithoutSlack", func(perSecond int) func() {
			l := uber.New(perSecond, uber.WithoutSlack)
			return func() { l.Take() }
		}),
	}
}

// When each wait was over, since the first one was, and what the process took meanwhile.
func waiting(wait func(), perSecond int, length time.Duration) (cpu time.Duration, at []time.Duration) {
	for i := 0; i < 20; i++ { // the burst, and everything cold
		wait()
	}
	at = make([]time.Duration, 0, int(length.Seconds()*float64(perSecond))*2+2)
	before := cpuTime()
	first := time.Now()
	for now := first; now.Sub(first) < length; now = time.Now() {
		at = append(at, now.Sub(first))
		wait()
	}
	return cpuTime() - before, at
}

// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"time"

	"github.com/juju/ratelimit"
	uber "go.uber.org/ratelimit"
	"golang.org/x/time/rate"
)

// A call that was admitted after one that was refused.
type turn struct {
	within time.Duration // of which it is not known when it could have been admitted; 0: none
	at     time.Time
	units  int // admitted before it
}

// Units that were admitted between two turns, the time between these, and how wrong that may be.
// The turns are the surest one of each half.
func accuracy(l limit, units int, length time.Duration) (int, time.Duration, time.Duration) {
	var turns [2]turn
	var refusal time.Time
	refused := false
	admitted := 0
	begin := time.Now()
	for before := begin; before.Sub(begin) < length; {
		ok := l.some(units)
		after := time.Now()
		if !ok {
			refusal = before
		} else {
			if refused {
				best := &turns[0]
				if after.Sub(begin) > length/2 {
					best = &turns[1]
				}
				within := after.Sub(refusal)
				if best.within == 0 || within < best.within {
					*best = turn{within, after, admitted}
				}
			}
			admitted += units
		}
		refused = !ok
		before = after
	}
	first, last := turns[0], turns[1]
	if first.within == 0 || last.within == 0 {
		return 0, 0, 0
	}
	return last.units - first.units, last.at.Sub(first.at), first.within + last.within
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

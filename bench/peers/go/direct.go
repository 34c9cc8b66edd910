// SPDX-License-Identifier: MIT

package main

import (
	"time"

	"github.com/juju/ratelimit"
	uber "go.uber.org/ratelimit"
	"golang.org/x/time/rate"
)

// A burst that no row exhausts.
const (
	plenty    = 50_000_000
	perSecond = 1_000_000
)

// One limit that all threads share.
type limit interface {
	one() bool
	some(n int) bool
}

type emptyLimit struct{}

func (emptyLimit) one() bool       { return true }
func (emptyLimit) some(n int) bool { return n == 1 }

type xTime struct{ *rate.Limiter }

func (l xTime) one() bool       { return l.Allow() }
func (l xTime) some(n int) bool { return l.AllowN(time.Now(), n) }

func newXTime(perSecond float64, burst int) limit {
	return xTime{rate.NewLimiter(rate.Limit(perSecond), burst)}
}

// The time is given: refreshed once in a thousand decisions.
type xTimeGiven struct {
	*rate.Limiter
	now   time.Time
	asked uint
}

func (l *xTimeGiven) one() bool { return l.some(1) }
func (l *xTimeGiven) some(n int) bool {
	l.asked++
	if l.asked%1024 == 0 {
		l.now = time.Now()
	}
	return l.AllowN(l.now, n)
}

type juju struct{ *ratelimit.Bucket }

func (l juju) one() bool { return l.TakeAvailable(1) == 1 }
func (l juju) some(n int) bool {
	_, ok := l.TakeMaxDuration(int64(n), 0) // all or nothing
	return ok
}

func newJuju(perSecond float64, burst int) limit {
	return juju{ratelimit.NewBucketWithRate(perSecond, int64(burst))}
}

// Only waits, so it is asked at a rate that it never reaches.
type uberLimit struct{ uber.Limiter }

func (l uberLimit) one() bool     { l.Take(); return true }
func (l uberLimit) some(int) bool { panic("takes one at a time") }

// Its rate does not matter.
func newUber(float64, int) limit { return uberLimit{uber.New(1_000_000_000)} }

// By their rows' names.
var makes = map[string]func(perSecond float64, burst int) limit{
	"x_time": newXTime,
	"juju":   newJuju,
	"uber":   newUber,
}

// Which requests of a mixed demand are for too much: so many that the branch predictor cannot learn
// them by heart.
func tooMuch() []bool {
	x := uint32(2463534242)
	all := make([]bool, 1<<17)
	for i := range all {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		all[i] = (x>>16)%2 != 0
	}
	return all
}

var pattern = tooMuch()

func limitFor(demand string, make func(perSecond float64, burst int) limit) limit {
	if demand == "deny" {
		l := make(1.0/3600, 1)
		l.one()
		return l
	}
	l := make(perSecond, plenty)
	if demand == "admit" || demand == "mixed" {
		l.some(plenty / 2)
	}
	return l
}

// `mine` is what one thread asks.
func asking(l limit, demand string, thread int) func() bool {
	if demand != "mixed" {
		return l.one
	}
	at := thread * (len(pattern) / 2)
	return func() bool {
		n := 1
		if pattern[at] {
			n = plenty
		}
		at = (at + 1) & (len(pattern) - 1)
		return l.some(n)
	}
}

func bytesOfOne(make func() limit) float64 {
	const many = 10_000
	var all [many]limit
	before := heapInUse()
	for i := range all {
		all[i] = make()
	}
	after := heapInUse()
	for i := range all { // until here all are in use
		all[i].one()
	}
	return float64(after-before) / many
}

func directRow(name, title string, make func(perSecond float64, burst int) limit) row {
	ask := func(demand string, h how) sample {
		l := limitFor(demand, make)
		return sampling(h, func(thread int) func() bool { return asking(l, demand, thread) })
	}
	one := func() limit { return make(perSecond, plenty) }
	return row{
		name: name, title: title, bytes: bytesOfOne(one),
		demands: []string{"admit", "deny", "mixed", "accuracy", "making", "first"},
		ask:     ask, make: make,
	}
}

func directRows() []row {
	empty := directRow("empty", "empty loop (Go)",
		func(float64, int) limit { return emptyLimit{} })
	empty.bytes = 0
	empty.demands = empty.demands[:3]
	// Threads share the limit, not the time.
	given := row{
		name: "x_time_given", title: "x/time/rate, time given",
		demands: []string{"admit", "deny", "mixed"},
		ask: func(demand string, h how) sample {
			l := limitFor(demand, newXTime)
			return sampling(h, func(thread int) func() bool {
				mine := &xTimeGiven{Limiter: l.(xTime).Limiter, now: time.Now()}
				return asking(mine, demand, thread)
			})
		},
	}
	only := directRow("uber", "uber-go/ratelimit Take", newUber)
	only.demands = []string{"admit", "making", "first"}
	only.ask = func(_ string, h how) sample {
		l := newUber(0, 0)
		return sampling(h, func(int) func() bool { return l.one })
	}
	return []row{
		empty,
		directRow("x_time", "x/time/rate", newXTime),
		given,
		directRow("juju", "juju/ratelimit", newJuju),
		only,
	}
}

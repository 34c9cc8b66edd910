// SPDX-License-Identifier: MIT

package main

import (
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

type how struct {
	cores     []int // one for each thread
	decisions int
	tail      bool // take the time of each decision, for the p99.99
}

type sample struct {
	ns              float64 // per decision and thread, or the p99.99
	asked, admitted uint64
	switches        int64 // how often the system took a core away
}

type part struct {
	told    sample
	elapsed float64
	timed   int
	p9999   float64
}

const chunk = 50

func pin(core int) {
	var set [16]uint64
	set[core/64] = 1 << (core % 64)
	syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(set),
		uintptr(unsafe.Pointer(&set)))
}

func usage(of int) syscall.Rusage {
	var u syscall.Rusage
	_ = syscall.Getrusage(of, &u)
	return u
}

func switchedOut() int64 {
	const thread = 1 // RUSAGE_THREAD
	u := usage(thread)
	return int64(u.Nivcsw)
}

// Of the whole process.
func cpuTime() time.Duration {
	u := usage(syscall.RUSAGE_SELF)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func heapInUse() uint64 {
	var now runtime.MemStats
	runtime.GC()
	runtime.GC() // the first may only finish one that was under way
	runtime.ReadMemStats(&now)
	return now.HeapAlloc
}

// That one in ten thousand exceeds.
func p9999(all []uint64) float64 {
	if len(all) == 0 {
		return 0
	}
	sort.Slice(all, func(a, b int) bool { return all[a] < all[b] })
	return float64(all[(len(all)*9999+9999)/10000-1])
}

// On a line of its own.
type counter struct {
	_     [64]byte
	value atomic.Int64
	_     [64]byte
}

// Each thread asks `worker` for its function, which makes one decision per call.
func sampling(h how, worker func(thread int) func() bool) sample {
	var arrived, over counter
	meet := func(times int) {
		arrived.value.Add(1)
		for arrived.value.Load() < int64(times*len(h.cores)) {
		}
	}
	takePart := func(me int) part {
		runtime.LockOSThread() // never unlocked: the thread ends with its goroutine
		pin(h.cores[me])
		decide := worker(me)
		var asked, admitted uint64
		one := func() {
			if decide() {
				admitted++
			}
			asked++
		}
		for i := 0; i < h.decisions/4; i++ { // finds everything cold
			one()
		}
		var each []uint64
		if h.tail {
			each = make([]uint64, 0, h.decisions+chunk)
		}
		meet(1) // until then the threads find their cores
		switches := switchedOut()
		meet(2)
		// The first thread that is through stops the other, so that both are at it all the time.
		start := time.Now()
		first := ticks()
		timed := 0
		for timed < h.decisions && over.value.Load() == 0 {
			for i := 0; i < chunk; i++ {
				if h.tail {
					before := ticks()
					one()
					each = append(each, ticks()-before)
				} else {
					one()
				}
			}
			timed += chunk
		}
		over.value.Store(1)
		elapsed := float64(time.Since(start))
		tick := elapsed / float64(ticks()-first)
		switches = switchedOut() - switches
		return part{sample{0, asked, admitted, switches}, elapsed, timed, p9999(each) * tick}
	}
	parts := make([]part, len(h.cores))
	var all sync.WaitGroup
	for me := range h.cores {
		me := me
		all.Add(1)
		go func() {
			defer all.Done()
			parts[me] = takePart(me)
		}()
	}
	all.Wait()
	var whole sample
	var elapsed, longest float64
	timed := 0
	for _, p := range parts {
		elapsed += p.elapsed
		timed += p.timed
		longest = max(longest, p.p9999)
		whole.asked += p.told.asked
		whole.admitted += p.told.admitted
		whole.switches += p.told.switches
	}
	whole.ns = elapsed / float64(timed)
	if h.tail {
		whole.ns = longest
	}
	return whole
}

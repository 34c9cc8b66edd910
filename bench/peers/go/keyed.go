// SPDX-License-Identifier: MIT

package main

import (
	"math"
	"sync"
	"sync/atomic"

	"golang.org/x/time/rate"
)

// Keys lie far apart, as identifiers do, so no hash table is helped by neighbours.
func keyOf(index uint32) uint64 { return (uint64(index) + 1) * 0x9E37_79B9_7F4A_7C15 }

// In which order the keys are asked for; so long that no cache keeps it.
type orders struct {
	uniform []uint32 // each key as often as another
	zipf    []uint32 // the k-th key one k-th as often as the first
}

func newOrders(keys int) *orders {
	const length = 1 << 20
	all := &orders{make([]uint32, length), make([]uint32, length)}
	x := uint64(88172645463325252)
	for i := range all.uniform {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		part := float64(x>>11) / (1 << 53)
		all.uniform[i] = uint32(part * float64(keys))
		all.zipf[i] = uint32(math.Pow(float64(keys), part)) - 1
	}
	return all
}

type table interface{ take(key uint64) bool }

type emptyTable struct{}

func (emptyTable) take(key uint64) bool { return key != 0 }

// What Go programs write: a map behind a lock that readers share, and a limiter for each key.
type lockedMap struct {
	mutex sync.RWMutex
	all   map[uint64]*rate.Limiter
}

func (m *lockedMap) take(key uint64) bool {
	m.mutex.RLock()
	its := m.all[key]
	m.mutex.RUnlock()
	if its == nil {
		m.mutex.Lock()
		if its = m.all[key]; its == nil {
			its = rate.NewLimiter(perSecond, plenty)
			m.all[key] = its
		}
		m.mutex.Unlock()
	}
	return its.Allow()
}

func keyedRow(name, title string, keys int, in *orders, make func() table) row {
	before := heapInUse()
	t := make()
	for index := 0; index < keys; index++ { // every key is there before the first sample
		t.take(keyOf(uint32(index)))
	}
	bytes := float64(heapInUse()-before) / float64(keys)
	var started atomic.Int64
	return row{
		name: name, title: title, bytes: bytes, demands: []string{"uniform", "zipf"},
		ask: func(demand string, h how) sample {
			order := in.uniform
			if demand == "zipf" {
				order = in.zipf
			}
			// No sample meets the keys of the one before it, which warmed up the table.
			from := int(started.Add(400_000))
			return sampling(h, func(thread int) func() bool {
				at := from + thread*(len(order)/2)
				return func() bool {
					key := keyOf(order[at&(len(order)-1)])
					at++
					return t.take(key)
				}
			})
		},
	}
}

func keyedRows(keys int) []row {
	in := newOrders(keys)
	empty := keyedRow("empty_keyed", "empty loop, keyed (Go)", keys, in,
		func() table { return emptyTable{} })
	empty.bytes = 0
	return []row{
		empty,
		keyedRow("x_time_keyed", "x/time/rate in a map with an RWMutex", keys, in,
			func() table { return &lockedMap{all: map[uint64]*rate.Limiter{}} }),
	}
}

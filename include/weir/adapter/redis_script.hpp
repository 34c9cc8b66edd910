// SPDX-License-Identifier: MIT
// redis_script: the script that decides in Redis, and its name there. A test compares it with
// src/redis/limit.lua, of which it is made:
//     cmake -DHEADER=include/weir/adapter/redis_script.hpp -P src/redis/header.cmake
// It is long because it is one script, so that all limits need one to be loaded.
#pragma once

// clang-format off
namespace weir::detail {

inline constexpr char redis_script_sha1[] = "805eab16dabf46add197912512257644d0cdd548";
inline constexpr char redis_script[] = R"lua(-- SPDX-License-Identifier: MIT
-- One decision of a rate limit that many machines share. It runs in Redis (5 or newer) and needs nothing
-- else of weir: any client can call it by EVALSHA. include/weir/adapter/fleet.md is its guide.
--
-- KEYS[1]  the limit
-- ARGV[1]  the rule: gcra, fixed_window, sliding_window or sliding_log
-- ARGV[2]  what to do: take (all or none), up_to (as many as there are), peek (changes nothing);
--          of a gcra also lease (as up_to, with a floor) and give_back
-- ARGV[3]  how many units
-- ARGV[4]  units of the quota, in each
-- ARGV[5]  period, in microseconds
-- ARGV[6]  burst; of every rule but gcra the same as the units
-- ARGV[7]  of a lease: the time, in Redis's microseconds, before which the limit was not idle; or empty
-- ARGV[8]  for tests only: the time in microseconds. The key then never expires
--
-- Answers with six integers:
--   1  0: admitted, 1: not yet, 2: never, because it asks for more than the burst
--   2  units that were taken, or given back
--   3  units that could still be taken now
--   4  microseconds until the same request passes if nothing else comes; 0 if it passed, -1 for never
--   5  microseconds until the limit is as good as new if nothing else comes
--   6  the time in microseconds
-- or with an error, and then nothing has changed: WEIR_ARGUMENT for an argument that is refused, WEIR_FOREIGN
-- for a key that holds something else, and whatever Redis itself refuses.
--
-- Every number is an integer below 2^53, so nothing is rounded but what is told: waits are rounded up.
-- Time is read once. If it has gone back since the state was written, what was used counts from now on: the
-- limit is stricter for once, and stands still for no longer than when the time had not gone back.
-- Whoever calls with another quota meets what has been used. For two quotas of one period the larger one holds.
-- Two periods spend each other's units: a quota with another period belongs to another key.

local largest = 9007199254740991 -- 2^53 - 1
local longest_log = 100000

local function refuse(sentence)
    return redis.error_reply("WEIR_ARGUMENT " .. sentence)
end
local function foreign()
    return redis.error_reply("WEIR_FOREIGN the key holds something that is no limit of this rule")
end
-- A number between both, or nothing. No sign, no fraction, no exponent.
local function whole(text, least, most)
    if type(text) ~= "string" or #text > 16 or not string.find(text, "^%d+$") then return nil end
    local value = tonumber(text)
    if value < least or value > most then return nil end
    return value
end
local function ceiling(a, b)
    return math.floor((a + b - 1) / b)
end

local rule, call, key = ARGV[1], ARGV[2], KEYS[1]
local n = whole(ARGV[3], 0, largest)
local units = whole(ARGV[4], 1, largest)
local period = whole(ARGV[5], 1, largest)
local burst = whole(ARGV[6], 1, largest)
if #KEYS ~= 1 then return refuse("one key is one limit") end
if not (n and units and period and burst) then
    return refuse("units, period, burst and how many are whole numbers below 2^53, and a quota's are not 0")
end
if rule ~= "gcra" and rule ~= "fixed_window" and rule ~= "sliding_window" and rule ~= "sliding_log" then
    return refuse("the rule is gcra, fixed_window, sliding_window or sliding_log")
end
if rule ~= "gcra" and burst ~= units then
    return refuse("a window passes a period's units: the burst must be the same number")
end
if (rule == "gcra" or rule == "sliding_window") and burst > largest / 2 / period then
    return refuse("burst times period must be less than 2^52: reduce the fraction of units and period")
end
if period > largest / 4 or units > largest / 2 then
    return refuse("a period is less than 2^51 microseconds, and a quota's units are less than 2^52")
end
if rule == "sliding_log" and units > longest_log then
    return refuse("a sliding_log holds 100000 units at most")
end
local floor = nil
if ARGV[7] and ARGV[7] ~= "" then
    floor = whole(ARGV[7], 0, largest)
    if not floor or call ~= "lease" then return refuse("only a lease has a floor, which is a time") end
end
if call ~= "take" and call ~= "up_to" and call ~= "peek" and
    not (rule == "gcra" and (call == "lease" or call == "give_back")) then
    return refuse("what to do is take, up_to or peek, and of a gcra also lease or give_back")
end

local now
if ARGV[8] then
    now = whole(ARGV[8], 0, largest / 2)
    if not now then return refuse("the time is a whole number of microseconds") end
else
    local time = redis.call("TIME")
    now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end

-- The numbers of a state, or nothing: the patterns tell rules apart, and each of them has four.
local function numbers_of(text, pattern)
    local a, b, c, d = string.match(text, pattern)
    if not a then return nil end
    return whole(a, 0, largest), whole(b, 0, largest), whole(c, 0, largest), whole(d, 0, largest)
end
-- Until when the key must live, in milliseconds and rounded up: a key that is gone too early gives units back.
local function until_idle(reset)
    return string.format("%.0f", ceiling(reset, 1000) + 1)
end

-- What the rule has read; each of them sets these.
local room        -- units that could be taken now
local has_changed -- the state must be written even if nothing is taken
local wait        -- of n units, no more than the burst, that do not fit: microseconds
local take        -- n units, in memory
local reset       -- microseconds until it is as good as new
local value       -- the state as text
local store       -- of a rule whose state is no text

local held
if rule == "sliding_log" then
    held = redis.pcall("LINDEX", key, -1)
else
    held = redis.pcall("GET", key)
end
if type(held) == "table" then
    if string.find(held.err, "WRONGTYPE", 1, true) then return foreign() end
    return held
end

if rule == "gcra" then
    -- The backlog is what has been taken and has not come back yet. It counts parts of a microsecond,
    -- of which `units` make one: then one unit is `period` of them, and a microsecond brings `units`
    -- back. So no quota is rounded. The state is {time, backlog, units, period}.
    local depth, backlog = burst * period, 0
    if held then
        local at, old_units, old_period
        at, backlog, old_units, old_period = numbers_of(held, "^gcra (%d+) (%d+) (%d+) (%d+)$")
        if not (at and backlog and old_units and old_period) or old_units == 0 or old_period == 0 then
            return foreign()
        end
        if old_units ~= units or old_period ~= period then
            -- Whole units of the other quota, rounded up.
            local most = math.floor(largest / 2 / period)
            backlog = math.min(ceiling(math.min(backlog, largest - old_period), old_period), most) * period
        end
        has_changed = at > now
        local gone = math.max(now - at, 0)
        if gone >= ceiling(math.min(backlog, largest - units), units) then
            backlog = 0
        else
            backlog = backlog - gone * units
        end
    end
    if floor then
        -- Redis may have lost what this caller has seen; no more than a whole burst of it.
        local ahead = floor - now
        if ahead >= ceiling(depth, units) then
            backlog = math.max(backlog, depth)
        elseif ahead > 0 then
            backlog = math.max(backlog, ahead * units)
        end
        has_changed = true
    end
    if call == "give_back" then
        local back = math.min(n, ceiling(backlog, period))
        backlog = math.max(backlog - back * period, 0)
        n = back
        has_changed = true
    end
    local function measure() room = math.max(math.floor((depth - backlog) / period), 0) end
    measure()
    wait = function(m) return ceiling(backlog - (depth - m * period), units) end
    take = function(m)
        backlog = backlog + m * period
        measure()
    end
    reset = function() return ceiling(backlog, units) end
    value = function() return string.format("gcra %.0f %.0f %.0f %.0f", now, backlog, units, period) end
elseif rule == "fixed_window" then
    -- Opens with the first unit. The state is {when it opened, how long it lasts, units used, 0}.
    local opened, lasts, used = now, period, 0
    if held then
        local at, old_lasts, old_used, nothing = numbers_of(held, "^fixed_window (%d+) (%d+) (%d+) (0)$")
        if not (at and old_lasts and old_used and nothing) then return foreign() end
        has_changed = at > now
        if has_changed then at = now end
        if now - at < old_lasts then opened, lasts, used = at, old_lasts, old_used end
    end
    room = math.max(units - used, 0)
    wait = function() return opened + lasts - now end
    take = function(m)
        used = used + m
        room = math.max(units - used, 0)
    end
    reset = function() return used == 0 and 0 or opened + lasts - now end
    value = function() return string.format("fixed_window %.0f %.0f %.0f 0", opened, lasts, used) end
elseif rule == "sliding_window" then
    -- Windows of the clock. What passed in the last period is taken to be what is in this window and, of
    -- the one before, the share that the period still covers.
    -- The state is {start of the window, its period, units in it, units in the one before}.
    local start, here, before = now - now % period, 0, 0
    if held then
        local at, lasts, in_it, in_last = numbers_of(held, "^sliding_window (%d+) (%d+) (%d+) (%d+)$")
        if not (at and lasts and in_it and in_last) or lasts == 0 then return foreign() end
        has_changed = at > now
        if has_changed then
            here, before = in_it, in_last
        elseif lasts ~= period then
            if now - at < 2 * lasts then here = in_it + in_last end
        elseif at == start then
            here, before = in_it, in_last
        elseif at + period == start then
            before = in_it
        end
    end
    local since = now - start
    local function measure()
        local taken = here * period + before * (period - since)
        room = math.max(math.floor((units * period - taken) / period), 0)
    end
    measure()
    wait = function(m)
        if here + m <= units then
            return period - math.floor((units - here - m) * period / before) - since
        end
        return 2 * period - math.floor((units - m) * period / here) - since
    end
    take = function(m)
        here = here + m
        measure()
    end
    reset = function()
        if here ~= 0 then return 2 * period - since end
        return before ~= 0 and period - since or 0
    end
    value = function()
        return string.format("sliding_window %.0f %.0f %.0f %.0f", start, period, here, before)
    end
elseif rule == "sliding_log" then
    -- A list with an entry for each request that was admitted: {when, how long it counts, how many units
    -- were taken before it, how many it took}. Entries end in their order. Those that are over are taken
    -- away by the next request that is admitted.
    local over, first, used, last_end = 0, 0, 0, 0
    -- {when it is over, how many before it, how many it took, when, how long}, or nothing
    local function whole_entry(text)
        local at, lasts, before, count = numbers_of(text, "^sliding_log (%d+) (%d+) (%d+) (%d+)$")
        if not (at and lasts and before and count) then return nil end
        return at + lasts, before, count, at, lasts
    end
    local function text_of(before, count)
        return string.format("sliding_log %.0f %.0f %.0f %.0f", now, last_end - now, before, count)
    end
    -- Entry i, out of a part of the list that is the longer the more parts were needed.
    local part, part_begin, part_size = {}, 0, 1
    local function entry(i)
        if i < part_begin or i >= part_begin + #part then
            part, part_begin = redis.call("LRANGE", key, i, i + part_size - 1), i
            part_size = math.min(2 * part_size, 256)
        end
        local text = part[i - part_begin + 1]
        if not text then return nil end
        return whole_entry(text)
    end
    if held then
        local ends, last_before, last_count, last_at, last_lasts = whole_entry(held)
        if not ends then return foreign() end
        has_changed = last_at > now
        last_end = has_changed and now + last_lasts or ends
        if has_changed or ends > now then
            local e, e_before = entry(0)
            while e and e <= now do
                over = over + 1
                e, e_before = entry(over)
            end
            if not e then return foreign() end
            first = e_before
            used = last_before + last_count - first
        else
            over = 1 -- all of them
        end
    end
    room = math.max(units - used, 0)
    wait = function(m)
        if has_changed then return last_end - now end
        -- This many of the units that count must end first.
        local most, i = first + used + m - units, over
        while true do
            local e, before, count = entry(i)
            if not e then return last_end - now end
            if before + count >= most then return e - now end
            i = i + 1
        end
    end
    local taken = 0
    take = function(m)
        taken = m
        room = math.max(room - m, 0)
        if m > 0 then last_end = math.max(last_end, now + period) end
    end
    reset = function() return used + taken == 0 and 0 or last_end - now end
    store = function()
        -- All that was used becomes one entry, or what is over is taken away.
        local before = first + used
        if has_changed or (over > 0 and used == 0) then
            redis.call("DEL", key)
            before = used
            if used > 0 then
                redis.call("RPUSH", key, text_of(0, used))
            end
        elseif over > 0 then
            redis.call("LTRIM", key, over, -1)
        end
        if taken > 0 then
            redis.call("RPUSH", key, text_of(before, taken))
        end
    end
end

local verdict, granted, retry = 0, n, 0
if call ~= "give_back" then
    local asked = n
    if (call == "up_to" or call == "lease") and n > 0 then asked = math.max(math.min(n, room), 1) end
    granted = asked
    if asked > burst then
        verdict, granted, retry = 2, 0, -1
    elseif asked > 0 and asked > room then
        verdict, granted, retry = 1, 0, wait(asked)
    else
        take(asked)
    end
end
local rest = reset()
if call ~= "peek" and rest > 0 and (has_changed or (verdict == 0 and granted > 0)) then
    if store then
        store()
        if not ARGV[8] then redis.call("PEXPIRE", key, until_idle(rest)) end
    elseif ARGV[8] then
        redis.call("SET", key, value())
    else
        redis.call("SET", key, value(), "PX", until_idle(rest))
    end
elseif call == "give_back" and rest == 0 then
    redis.call("DEL", key)
end
return {verdict, granted, room, retry, rest, now}
)lua";

}  // namespace weir::detail

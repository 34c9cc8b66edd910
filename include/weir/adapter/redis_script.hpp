// SPDX-License-Identifier: MIT
// redis_script: the script that decides in Redis, and its name there. A test compares it with
// src/redis/limit.lua, of which it is made:
//     cmake -DHEADER=include/weir/adapter/redis_script.hpp -P src/redis/header.cmake
// It is long because it is one script, so that all limits need one to be loaded.
#pragma once

// clang-format off
namespace weir::detail {

inline constexpr char redis_script_sha1[] = "555a0c26f797a53bf813090f73775ce8ffb444c6";
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
--
-- Whoever calls with another quota meets what has been used, so that two quotas for one key never pass the sum
-- of both. All callers together pass in any time of length t, where `units` is the larger number of units (of a
-- gcra: the larger burst) and `rate` is the higher rate:
--   gcra, sliding_log             units + rate t
--   fixed_window, sliding_window  2 units + rate t, and no more than 2 units where t is shorter than each period
-- The units of a gcra come back at the rate of whoever asks. A unit of the others counts at least as long as the
-- period of whoever took it, and against everybody: while two periods are in use, the longer one holds for both.

local largest = 9007199254740991 -- 2^53 - 1
local longest_log = 100000
local max, min, down = math.max, math.min, math.floor

local function refuse(sentence)
    return redis.error_reply("WEIR_ARGUMENT " .. sentence)
end
local foreign = "WEIR_FOREIGN the key holds something that is no limit of this rule"
-- A number between both, or nothing. No sign, no fraction, no exponent: nothing but digits.
local function whole(text, least, most)
    local value = not string.find(text, "%D") and tonumber(text)
    return value and value >= least and value <= most and value or nil
end
local function ceiling(a, b)
    return math.floor((a + b - 1) / b)
end
-- So much of the amount as `part` is of `of`, which is not less; rounded up. Where the product of both is more
-- than can be counted, the answer may be up to two higher, but no more than the amount.
local function share(part, of, amount)
    if part * amount <= largest - of then return ceiling(part * amount, of) end
    return min(down(part / of * amount) + 2, amount)
end

local rule, call, key = ARGV[1], ARGV[2], KEYS[1]
if #KEYS ~= 1 then return refuse("one key is one limit") end
local n, units, period, burst = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
if not (n and units and period and burst) or string.find(ARGV[3] .. ARGV[4] .. ARGV[5] .. ARGV[6], "%D") or
    max(n, units, period, burst) > largest or min(units, period, burst) == 0 then
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

-- A state is a letter, which tells rules apart, and four numbers. As text it would take longer to write and to
-- read than all that is counted here. It has 31 bytes, since Lua looks at every byte of a string of that length
-- to find its place, and of a longer one at some: states that follow each other would all share one place. So the
-- first two numbers are 7 bytes each, in two parts, as a Redis of 32 bits has no larger integer.
local shape, size, part_of = "<c1I4I3I4I3dd", 31, 4294967296
local function state_of(sign, a, b, c, d)
    return struct.pack(shape, sign, a % part_of, down(a / part_of), b % part_of, down(b / part_of), c, d)
end
-- The numbers of a state, or nothing.
local function numbers_of(state, sign)
    if #state ~= size then return nil end
    local its, a, a_more, b, b_more, c, d = struct.unpack(shape, state)
    a, b = a + a_more * part_of, b + b_more * part_of
    if its ~= sign or c % 1 ~= 0 or d % 1 ~= 0 then return nil end
    if min(c, d) < 0 or max(a, b, c, d) > largest then return nil end
    return a, b, c, d
end

-- Each rule sets these.
local room = 0            -- units that can be taken now
local has_changed = false -- the state must be written even if nothing is taken
local retry = 0           -- microseconds until what was asked for passes
local reset = 0           -- microseconds until it is as good as new
local sign, s1, s2, s3, s4 -- the state
local store               -- writes the state of a rule that has many

-- What becomes of the request if so many units can be taken. Returns how many the rule has to take.
local verdict, granted, asked = 0, n, n
local function taken_of(room)
    granted = n
    if call == "give_back" then return 0 end
    if (call == "up_to" or call == "lease") and n > 0 then asked = math.max(math.min(n, room), 1) end
    granted = asked
    if asked > burst then
        verdict, granted, retry = 2, 0, -1
    elseif asked > room then
        verdict, granted = 1, 0
    end
    return granted
end
local taken

local held
if rule == "sliding_log" then
    held = redis.pcall("LINDEX", key, -1)
else
    held = redis.pcall("GET", key)
end
if type(held) == "table" then
    if string.find(held.err, "WRONGTYPE", 1, true) then return redis.error_reply(foreign) end
    return held
end

if rule == "gcra" then
    -- The backlog is what has been taken and has not come back yet. It counts parts of a microsecond,
    -- of which `units` make one: then one unit is `period` of them, and a microsecond brings `units`
    -- back. So no quota is rounded. The state is {time, backlog, units, period}.
    local depth, backlog = burst * period, 0
    if held then
        local at, old_units, old_period
        at, backlog, old_units, old_period = numbers_of(held, "g")
        if not at or old_units == 0 or old_period == 0 then return redis.error_reply(foreign) end
        local gone = max(now - at, 0)
        has_changed = at > now
        if old_units ~= units or old_period ~= period then
            -- The same number of units, and of the last one the part that is still missing.
            local count, most = down(backlog / old_period), down(largest / 2 / period)
            local part = share(backlog % old_period, old_period, period)
            if count > most then
                -- More than can be counted in parts of this quota: those above come back first, and
                -- until then nothing is written.
                has_changed = false
                gone = max(gone - math.ceil((count - most) / units * period * (1 + 2 ^ -50)) - 1, 0)
                count = most
            end
            backlog = count * period + part
        end
        if gone >= ceiling(min(backlog, largest - units), units) then
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
    room = max(down((depth - backlog) / period), 0)
    taken = taken_of(room)
    if verdict == 1 then retry = ceiling(backlog - (depth - asked * period), units) end
    backlog = backlog + taken * period
    reset = ceiling(backlog, units)
    sign, s1, s2, s3, s4 = "g", now, backlog, units, period
elseif rule == "fixed_window" then
    -- Opens with the first unit, and lasts as long as the longest period of those who took one.
    -- The state is {when it opened, how long it lasts, units used, 0}.
    local opened, lasts, used = now, period, 0
    if held then
        local at, its, in_it = numbers_of(held, "f")
        if not at then return redis.error_reply(foreign) end
        has_changed = at > now
        if has_changed then at = now end
        if now - at < its then opened, lasts, used = at, its, in_it end
    end
    room = max(units - used, 0)
    taken = taken_of(room)
    if verdict == 1 then retry = opened + lasts - now end
    if taken > 0 then used, lasts = used + taken, max(lasts, period) end
    if used > 0 then reset = opened + lasts - now end
    sign, s1, s2, s3, s4 = "f", opened, lasts, used, 0
elseif rule == "sliding_window" then
    -- Windows of the clock. What passed in the last period is taken to be what is in this window and, of
    -- the one before, the share that the period still covers. Where periods differ the windows are those of
    -- the longest one, until nothing counts any more.
    -- The state is {start of the window, its period, units in it, units in the one before}.
    local since, lasts, here, before = now % period, period, 0, 0
    if held then
        local at, its, in_it, in_last = numbers_of(held, "s")
        if not at or its == 0 then return redis.error_reply(foreign) end
        has_changed = at > now
        local start = now - now % its
        if has_changed or at == start then
            here, before = in_it, in_last
        elseif at + its == start then
            before = in_it
        end
        if here + before > 0 then since, lasts = now - start, its end
    end
    -- If the windows are shorter than this period, all that is in them is in it.
    local are_short = lasts < period
    room = max(units - here - (are_short and before or share(lasts - since, lasts, before)), 0)
    taken = taken_of(room)
    if verdict == 1 then
        -- How long the window goes on, or the next one, after enough units have left the period.
        local wait, part, of = lasts, units - here - asked, before
        if part < 0 then wait, part, of = 2 * lasts, units - asked, here end
        if are_short or part * lasts > largest then part = 0 end
        retry = max(wait - down(part * lasts / of) - since, 1)
    end
    if taken > 0 then
        if are_short then since, lasts, here, before = now % period, period, here + before, 0 end
        here = here + taken
    end
    if here > 0 then
        reset = 2 * lasts - since
    elseif before > 0 then
        reset = lasts - since
    end
    sign, s1, s2, s3, s4 = "s", now - since, lasts, here, before
elseif rule == "sliding_log" then
    -- A list with an entry for each request that was admitted: {when, how long it counts, how many units
    -- were taken before it, how many it took}. Entries end in their order, so each counts at least as long as
    -- its own period and as those before it. Those that are over are taken away by the next request that is
    -- admitted.
    local over, first, used, last_end = 0, 0, 0, 0
    -- {when it is over, how many before it, how many it took, when, how long}, or nothing
    local function numbers_of_entry(text)
        local at, lasts, before, count = numbers_of(text, "l")
        if not at then return nil end
        return at + lasts, before, count, at, lasts
    end
    local function text_of(before, count)
        return state_of("l", now, last_end - now, before, count)
    end
    -- Entry i, out of a part of the list that is the longer the more parts were needed.
    local part, part_begin, part_size = {}, 0, 1
    local function entry(i)
        if i < part_begin or i >= part_begin + #part then
            part, part_begin = redis.call("LRANGE", key, i, i + part_size - 1), i
            part_size = min(2 * part_size, 256)
        end
        local text = part[i - part_begin + 1]
        if not text then return nil end
        return numbers_of_entry(text)
    end
    if held then
        local ends, last_before, last_count, last_at, last_lasts = numbers_of_entry(held)
        if not ends then return redis.error_reply(foreign) end
        has_changed = last_at > now
        last_end = has_changed and now + last_lasts or ends
        if has_changed or ends > now then
            local e, e_before = entry(0)
            while e and e <= now do
                over = over + 1
                e, e_before = entry(over)
            end
            if not e then return redis.error_reply(foreign) end
            first = e_before
            used = last_before + last_count - first
        else
            over = 1 -- all of them
        end
    end
    room = max(units - used, 0)
    taken = taken_of(room)
    if verdict == 1 then
        retry = last_end - now
        if not has_changed then
            -- This many of the units that count must end first.
            local most, i = first + used + asked - units, over
            local e, before, count = entry(i)
            while e and before + count < most do
                i = i + 1
                e, before, count = entry(i)
            end
            if e then retry = e - now end
        end
    end
    if taken > 0 then last_end = max(last_end, now + period) end
    if used + taken > 0 then reset = last_end - now end
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

if call ~= "peek" and reset > 0 and (has_changed or taken > 0) then
    -- In milliseconds and rounded up: a key that is gone too early gives units back.
    local until_idle = ceiling(reset, 1000) + 1
    if store then
        store()
        if not ARGV[8] then redis.call("PEXPIRE", key, until_idle) end
    elseif ARGV[8] then
        redis.call("SET", key, state_of(sign, s1, s2, s3, s4))
    else
        redis.call("PSETEX", key, until_idle, state_of(sign, s1, s2, s3, s4))
    end
elseif call == "give_back" and reset == 0 then
    redis.call("DEL", key)
end
return {verdict, granted, room - taken, retry, reset, now}
)lua";

}  // namespace weir::detail

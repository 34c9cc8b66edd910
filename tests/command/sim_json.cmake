# Runs `weir sim --json` on a log and reads what it prints:
#   cmake -DPROGRAM=<command, its words separated by |> -DFOLDER=<to write to> -P sim_json.cmake

cmake_minimum_required(VERSION 3.25)

# A key that JSON has to escape, and bytes that are no text.
string(ASCII 1 7 27 128 255 odd)
file(WRITE ${FOLDER}/sim.log
    "x\n0.0 a\"b\\c 1\n0.1 a\"b\\c 1\n0.2 a\"b\\c 1\n0.3 ${odd} 1\n${odd}\n1.0 a\"b\\c 9\n")
set(ARGUMENTS sim --json --quota 2/s --limit all --suggest 10% --arrivals trace:${FOLDER}/sim.log)
include(${CMAKE_CURRENT_LIST_DIR}/read_json.cmake)

expect(5 requests)
expect(13 units)
expect(2 keys)
expect(times format)
expect(7 log lines)
expect(2 log not_understood)
expect(1 log first_not_understood line)
expect("x" log first_not_understood text)
expect_length(100 units_over_time)
expect(gcra limits 0 limit)
expect(2 limits 0 quota units)
expect(3 limits 0 admitted)
expect(2 limits 0 refused)
expect(1 limits 0 never)
expect(2 limits 0 worst_window units)
expect(ON limits 0 worst_window exact)
expect(1 limits 0 keys_refused)
expect("a\"b\\c" limits 0 worst_keys 0 key)
expect(4 limits 0 worst_keys 0 came)
expect(2 limits 0 worst_keys 0 refused)

# What comes last of all limits is the pacer, and before it the queue.
string(JSON count LENGTH "${text}" limits)
math(EXPR queue "${count} - 2")
expect(queue limits ${queue} limit)
expect(4 limits ${queue} admitted)
expect_length(100 limits ${queue} waiting)
expect_length(${count} suggestions)
expect(gcra suggestions 0 limit)
expect(0 suggestions 0 refused)
expect(9 suggestions 0 quota units)
expect(8 suggestions 0 too_small units)
expect(1 suggestions 0 refused_by_too_small)

# Completion of weir's commands, options and values in fish: weir completion fish | source
# It asks weir itself, so it knows the options of the weir that is installed.

function __weir_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l answer ($program __complete $words "$last" 2>/dev/null)
    set -l how (string split ' ' -- $answer[1])
    set -e answer[1]
    switch "$how[1]"
        case words
            string join \n -- $answer
        case files
            set -l begin (string sub -l $how[2] -- "$last")
            set -l name (string sub -s (math $how[2] + 1) -- "$last")
            for path in (__fish_complete_path "$name")
                echo "$begin$path"
            end
        case command
            set -l others
            if test $how[2] -lt (count $words)
                set others (string escape -- $words[(math $how[2] + 1)..-1])
            end
            complete -C (string join ' ' -- $others "$last")
    end
end

complete -c weir -f -a '(__weir_complete)'

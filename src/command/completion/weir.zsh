#compdef weir
# Completion of weir's commands, options and values in zsh: source <(weir completion zsh)
# It asks weir itself, so it knows the options of the weir that is installed.

_weir() {
    local -a answer
    answer=("${(@f)$("${(Q)~words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}")
    local number=${answer[1]#* } line
    case $answer[1] in
        words)
            local -a whole shown begun
            for line in "${(@)answer[2,-1]}"; do
                if [[ ${line%%$'\t'*} == *: ]]; then
                    begun+=("${line%%$'\t'*}")
                else
                    whole+=("${line%%$'\t'*}")
                    shown+=("${line/$'\t'/  -- }")
                fi
            done
            compadd -l -d shown -a whole
            compadd -S '' -a begun
            ;;
        files*)
            compset -p $number
            _files
            ;;
        command*)
            shift $((number + 1)) words
            ((CURRENT -= number + 1))
            _normal
            ;;
    esac
}

if [[ $funcstack[1] == _weir ]]; then
    _weir "$@"
else
    compdef _weir weir
fi

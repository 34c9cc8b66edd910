# Completion of weir's commands, options and values in bash: source <(weir completion bash)
# It asks weir itself, so it knows the options of the weir that is installed.

_weir() {
    local i words=() places=()
    # Bash ends a word at each = and :. Here they stand inside of words.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        if ((i > 1)) && [[ ${COMP_WORDS[i]} == [=:]* || ${COMP_WORDS[i - 1]} == *[=:] ]]; then
            words[-1]+=${COMP_WORDS[i]}
        else
            words+=("${COMP_WORDS[i]}")
            places+=("$i")
        fi
    done

    local answer
    COMPREPLY=()
    mapfile -t answer < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]}" 2> /dev/null)
    case ${answer[0]} in
        words)
            # What bash takes for the word under the cursor is only the end of it.
            local last=${COMP_WORDS[COMP_CWORD]}
            [[ $last != [=:] ]] || last=
            local begin=${words[-1]%"$last"}
            COMPREPLY=("${answer[@]:1}")
            COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
            COMPREPLY=("${COMPREPLY[@]#"$begin"}")
            [[ ${COMPREPLY[*]} != *: ]] || compopt -o nospace
            ;;
        files*)
            compopt -o default
            ;;
        command*)
            local first=${places[${answer[0]#command }]}
            if declare -F _command_offset > /dev/null; then
                _command_offset "$first"
            elif ((first == COMP_CWORD)); then
                mapfile -t COMPREPLY < <(compgen -c -- "${words[-1]}")
            else
                compopt -o default
            fi
            ;;
    esac
}

complete -F _weir weir

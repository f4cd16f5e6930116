# bash completion for deepprof.
# The program itself lists its formats and metrics.

_deepprof_table() {
	deepprof info --build 2>/dev/null | awk -v table="$1" '
		/^[a-z_]+$/ { inside = $0 == table; next }
		inside && /^  [^ ]/ { print $1 }'
}

# The metrics of compare --fail-on.
_deepprof_limits() {
	echo iteration_time=
	_deepprof_table metrics | sed 's/$/=/'
}

# Rules with a threshold.
_deepprof_thresholds() {
	deepprof info --build 2>/dev/null | awk '
		/^[a-z_]+$/ { inside = $0 == "rules"; next }
		inside && /^  [^ ]/ && $2 ~ /^[0-9.]+%$/ { print $1 "=" }'
}

_deepprof_files() {
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_deepprof_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# The value of an option: _deepprof_value VERB OPTION WORD; false where it takes none.
_deepprof_value() {
	case $2 in
	--format)
		case $1 in
		info) _deepprof_words "text json" "$3" ;;
		compare) _deepprof_words "text json csv markdown html" "$3" ;;
		ranks) _deepprof_words "text json csv html markdown perfetto" "$3" ;;
		export) _deepprof_words "chrome perfetto sqlite" "$3" ;;
		*) _deepprof_words "$(_deepprof_table renderers)" "$3" ;;
		esac
		;;
	--input-format) _deepprof_words "$(_deepprof_table importers)" "$3" ;;
	--metric)
		local before=
		[[ $3 == *,* ]] && before=${3%,*},
		_deepprof_words "$(_deepprof_table metrics; _deepprof_table summary_metrics)" "${3##*,}"
		COMPREPLY=("${COMPREPLY[@]/#/$before}")
		;;
	--fail-on)
		_deepprof_words "$(_deepprof_limits)" "$3"
		compopt -o nospace 2>/dev/null
		;;
	--threshold)
		_deepprof_words "$(_deepprof_thresholds)" "$3"
		compopt -o nospace 2>/dev/null
		;;
	--shard) _deepprof_words "auto" "$3" ;;
	--mode) _deepprof_words "600 640 644" "$3" ;;
	--capture) _deepprof_words "all profiler" "$3" ;;
	--api) _deepprof_words "on off all" "$3" ;;
	--nvtx | --memory | --exit-guard | --context-switches) _deepprof_words "on off" "$3" ;;
	--cuda-graph) _deepprof_words "graph node" "$3" ;;
	--pause-signal) _deepprof_words "USR1 USR2 HUP ALRM" "$3" ;;
	--cupti | --recover) _deepprof_files "$3" ;;
	--level) _deepprof_words "default outermost innermost" "$3" ;;
	--compat) _deepprof_words "kineto" "$3" ;;
	--color) _deepprof_words "auto always never" "$3" ;;
	--output | -o) _deepprof_files "$3" ;;
	--iterations | -n | --epsilon | --max-unmatched | --marks | --device | --stream | --range | --batch-size | --flops | --top | \
		--confidence | --loops | --jobs | -j | \
		--delay | --duration | --sample-gpu | --gpu-metrics | --sample-host | --max-memory | --max-spool)
		COMPREPLY=()
		;;
	*) return 1 ;;
	esac
}

_deepprof_options() {
	case $1 in
	record)
		echo "--output= --force --mode= --no-cmdline --delay= --duration= --iterations= --capture= --pause-signal= --api= --nvtx=
			--memory= --cuda-graph= --sample-gpu= --gpu-metrics= --sample-host= --context-switches= --max-memory= --max-spool= --cupti=
			--chain --exit-guard= --wait --recover= --verbose --quiet --help -o -f -n -v -q -h"
		;;
	analyze)
		echo "--iterations= --paper --epsilon= --max-unmatched= --marks= --ignore-marks
			--level= --device= --stream= --range= --batch-size= --flops= --threshold= --metric= --format=
			--explain --brief --input-format= --output= --force --mode= --no-pager --color= --verbose
			--quiet --help -n -o -f -v -q -h"
		;;
	compare)
		echo "--fail-on= --confidence= --loops= --iterations= --paper --epsilon= --max-unmatched=
			--marks= --ignore-marks --level= --device= --stream= --range= --batch-size= --flops=
			--threshold= --metric= --format= --input-format= --output= --force --mode= --no-pager
			--color= --verbose --quiet --help -n -o -f -v -q -h"
		;;
	ranks)
		echo "--jobs= --iterations= --marks= --ignore-marks --level= --format= --input-format= --output=
			--force --mode= --no-pager --color= --verbose --quiet --help -j -n -o -f -v -q -h"
		;;
	reduce)
		echo "--shard= --jobs= --iterations= --marks= --ignore-marks --level= --input-format= --output=
			--force --mode= --verbose --quiet --help -j -n -o -f -v -q -h"
		;;
	export)
		echo "--format= --compat= --iterations= --paper --epsilon= --max-unmatched= --marks=
			--ignore-marks --level= --device= --stream= --range= --batch-size= --flops= --threshold=
			--metric= --input-format= --output= --force --mode= --verbose --quiet --help
			-n -o -f -v -q -h"
		;;
	info)
		echo "--build --top= --format= --input-format= --output= --force --mode= --no-pager
			--verbose --quiet --help -o -f -v -q -h"
		;;
	help) echo "--help -h" ;;
	esac
}

# Where the command of record begins: the first word that is no option and no option's value.
_deepprof_command() {
	local i

	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) return 0 ;;
		-*=*) ;;
		-*)
			if [[ ${COMP_WORDS[i + 1]} == = ]]; then
				((i += 2))
			elif _deepprof_value record "${COMP_WORDS[i]}" ""; then
				((i++))
			fi
			;;
		*) return 0 ;;
		esac
	done
	return 1
}

_deepprof() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_deepprof_words "record analyze compare ranks reduce export info help --help --version" "$word"
		return
	fi
	if [[ $verb == record ]] && _deepprof_command; then
		_deepprof_files "$word"
		return
	fi
	COMPREPLY=()
	# "--format=js" is three words where = breaks them.
	if [[ $before == = ]]; then
		_deepprof_value "$verb" "${COMP_WORDS[COMP_CWORD - 2]}" "$word" && return
	elif [[ $word == = ]]; then
		_deepprof_value "$verb" "$before" "" && return
	elif _deepprof_value "$verb" "$before" "$word"; then
		return
	fi
	if [[ $word == -* ]]; then
		_deepprof_words "$(_deepprof_options "$verb")" "$word"
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
	elif [[ $verb == help ]]; then
		_deepprof_words "record analyze compare ranks reduce export info help" "$word"
	else
		_deepprof_files "$word"
	fi
}

complete -F _deepprof deepprof

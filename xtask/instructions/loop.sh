# What scripts spend their time on: loops, functions, arrays, expansions, patterns and command substitutions.
join() {
  local separator=$1 result=$2 word
  shift 2
  for word in "$@"; do result+=$separator$word; done
  REPLY=$result
}

declare -A seen=()
paths=() total=0 i=0
while [ "$i" -lt 1500 ]; do
  path=/srv/project/module$((i % 37))/file$i.txt
  base=${path##*/}
  paths+=("${base%.txt}")
  key=${path%/*}
  seen[${key##*/}]=$((${seen[${key##*/}]:-0} + 1))
  case $base in
    file*[02468].txt) total=$((total + i)) ;;
    *) [[ $base == *7.* ]] && total=$((total - 1)) ;;
  esac
  i=$((i + 1))
done

for ((i = 0; i < 300; i++)); do
  join , "${paths[@]:i:5}"
  lists[i]=${REPLY//file/f}
done

words=0
for word in ${lists[*]:0:100}; do words=$((words + ${#word})); done
for i in {1..200}; do
  stamp=$(printf '%03d' "$i")
  (x=$stamp; [ "$x" ] && : "${x:1:2}")
done
while IFS=, read -r first rest; do words=$((words + ${#rest})); done <<END
$(printf '%s\n' "${lists[@]}")
END
echo "${#paths[@]} ${#seen[@]} ${seen[module5]} $total ${lists[299]} $words $stamp $first"

"""Outside types that hold others, and what their well-known methods give: what most standard libraries share."""

from pckc_domain.policy.graph.declared.rules import How

METHODS = {
    **dict.fromkeys(
        "stream parallelStream filter filterNot filterNotNull sorted sortedBy sortedWith sortBy sortWith distinct "
        "distinctBy limit skip peek iterator listIterator descendingIterator toList toSet toSeq toVector toArray "
        "toMutableList asSequence subList reversed reverse collect parallel sequential takeWhile dropWhile take "
        "drop tailSet headSet subSet iter iter_mut into_iter cloned copied rev as_ref as_mut as_deref to_vec clone "
        "chain step_by select reject sort sort_by each each_with_index Where OrderBy OrderByDescending ThenBy Take "
        "Skip Distinct Reverse ToList ToArray AsEnumerable ToHashSet dropFirst dropLast prefix suffix shuffled "
        "lazy compact uniq tail init also apply onEach ensure ok_or ok_or_else ok map_err or_else peekable "
        "skip_while take_while whenComplete exceptionally dup freeze drain unwrapOrElse ConfigureAwait partition "
        "slice as_slice as_mut_slice takeIf takeUnless".split(),
        How.SAME,
    ),
    **dict.fromkeys(
        "get getFirst getLast first last next previous orElse orElseGet orElseThrow remove removeFirst removeLast "
        "poll pollFirst pollLast peekFirst peekLast element pop getOrDefault computeIfAbsent computeIfPresent "
        "compute merge putIfAbsent getValue join firstElement lastElement getNow call set replace cast newInstance "
        "getOrNull getOrElse getOrPut firstOrNull lastOrNull single singleOrNull find findLast random maxBy minBy "
        "maxByOrNull minByOrNull removeAt elementAt head headOption reduce unwrap unwrap_or unwrap_or_else "
        "unwrap_or_default expect take_mut get_mut first_mut last_mut pop_front pop_back front back nth borrow "
        "borrow_mut lock read write get_or_insert_with load deref detect sample shift fetch dig min_by max_by "
        "First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt Find Max Min Peek Pop Dequeue "
        "Result GetAwaiter GetResult await popLast at insert swap_remove".split(),
        How.ITEM,
    ),
    **dict.fromkeys("findFirst findAny min max min_by_key max_by_key".split(), How.OPTION),
    **dict.fromkeys(("getKey", "firstKey", "lastKey"), How.KEY),
    **dict.fromkeys("values values_mut valuesIterator Values".split(), How.ITEMS),
    **dict.fromkeys("keySet keys keysIterator Keys".split(), How.KEYS),
    **dict.fromkeys("entrySet entries".split(), How.ENTRIES),
    **dict.fromkeys(
        "map thenApply mapNotNull mapIndexed filter_map and_then_some Select compactMap collect_map let_some".split(),
        How.MAPPED,
    ),
    **dict.fromkeys("flatMap thenCompose flat_map SelectMany and_then".split(), How.FLAT),
    **dict.fromkeys("let run with fold".split(), How.RESULT),
}

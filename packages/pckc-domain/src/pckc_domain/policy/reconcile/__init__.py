"""
What the assertions of one slot amount to.

`fold` lets them pass by in order of event time; `entries` are the claims in the making, `bearing` tells how what two of
them say bears on each other.
"""

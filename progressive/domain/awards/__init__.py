"""Money of awards: what a winner takes from a meter, in which order, with which papers.

Reading cards belongs to `domain/games`, the steps people take to `domain/decide`.
"""

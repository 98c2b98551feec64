"""The outermost layer, a folder a noun: sockets, HTTP, pages, commands, and the wiring.

No rule about money lives here. Modules that know neither aiohttp nor click turn what `application`
knows into messages of `wire`: neither of those two layers may see the other.
"""

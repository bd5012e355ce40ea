"""The step check: recorded calls of agents' models, sent again, each reply beside the recorded one.

No judge and no new episode: the conversation, the tools and the settings are those of the record.
"""

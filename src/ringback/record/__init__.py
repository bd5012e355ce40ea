"""The record of calls: a document of cases made from recorded sessions alone, by rule."""

"""Edits of clips and cycles: paths, feet, filters, time, style, feelings, retargeting."""

"""Charts as lines, areas and texts on a sheet, and those as SVG. The PDF draws the same shapes.

Whole numbers only; no color is chosen here: shapes have roles, and each format has its colors.
"""

"""The hexagon tangram for EPCG: a hexagon of triangles, covered by pieces made of trapezoids."""

"""What games of pieces are made of, without any search: definitions, shapes, layouts."""

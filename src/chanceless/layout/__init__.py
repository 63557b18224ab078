"""Where the parts of a picture go, whatever draws it: matplotlib (`plots`) or a page (`report`)."""

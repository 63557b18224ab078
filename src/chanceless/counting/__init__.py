"""Count anything that holds two clusterings: into a ContingencyTable, or into its Spectrum."""

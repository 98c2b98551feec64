"""The stateless `progressive settle`: one request in, one result out. Not the live settlement."""

-- The kernels among the builds: the list for volatility3 names them all, and a store of millions of
-- builds has a few thousand.

create index build_identities_of_kernels on build_identities (build_id)
    where fields @> '[["kernelBanner"]]';

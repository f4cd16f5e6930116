
ï/device:GPU:0’&Stream #999999999999999999999999999999ïöóÏ„üÁÀ"%¿ñ±Äâz" F"8"
*fusion.1"¿®•†ç"8"(‡Í√†ç"*kind:device num_bytes:4")†Ö–"*kind:device num_bytes:4096"‡ü‹à'" "	graph"	a"
Memset"	MemcpyH2D"	_Z3addPfi*cuda_graph_exec_id*memalloc_details*Memset_details*/+'kind_src:pinned kind_dst:device size:64*memcpy_details*


hlo_op*
m/conv*	tf_op*correlation_id
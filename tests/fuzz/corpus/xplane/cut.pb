
/device:GPU:0ÁStream #17(Kernel)•š—ìãŸçË"%À–±€‰z" F"8"
*fusion.1"À¨¥ "8"(àêÃ "*kind:device num_bytes:4") …Ğ"*kind:device num_bytes:4096"àŸÜˆ'" "	graph"	a"
Memset"	MemcpyH2D"	_Z3addPfi*cuda_graph_exec_id*memalloc_details*Memset_details*/+'kind_src:pinned kind_dst:device size:64*memcpy_details*


hlo_op*
m/conv*
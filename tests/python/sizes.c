/* Sizes of the structs that the Python package repeats, as JSON. */
#include <deepprof/deepprof.h>

#include <stdio.h>

int main(void)
{
	printf("{\"Error\": %zu, \"Log\": %zu, \"Sink\": %zu, \"OpenOptions\": %zu, ",
	       sizeof(struct dp_error), sizeof(struct dp_log), sizeof(struct dp_sink),
	       sizeof(struct dp_open_options));
	printf("\"AnalysisOptions\": %zu, \"ReportOptions\": %zu, \"CompareOptions\": %zu, ",
	       sizeof(struct dp_analysis_options), sizeof(struct dp_report_options),
	       sizeof(struct dp_compare_options));
	printf("\"LeftOut\": %zu, \"RanksOptions\": %zu, \"SummarySource\": %zu, ",
	       sizeof(struct dp_left_out), sizeof(struct dp_ranks_options),
	       sizeof(struct dp_summary_source));
	printf("\"TableOptions\": %zu, \"TableInfo\": %zu}\n", sizeof(struct dp_table_options),
	       sizeof(struct dp_table_info));
	return 0;
}

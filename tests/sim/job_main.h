#ifndef SIM_JOB_MAIN_H
#define SIM_JOB_MAIN_H

/* Runs "deepprof-sim job" with its arguments; returns the exit status. */
int job_main(int argc, char **argv);

#endif

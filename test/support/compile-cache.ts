const folder = process.env['TEST_COMPILE_CACHE'];

/** Environment for processes of the build: each file is compiled once per test run, not at each start of a process. */
export const COMPILE_CACHE: Record<string, string> = folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };

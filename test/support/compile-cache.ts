const folder = process.env['TEST_COMPILE_CACHE'];

/**
 * Environment of processes of the build: they compile each file once in a run of the tests, and not at each of their many
 * starts.
 */
export const COMPILE_CACHE: Record<string, string> = folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };

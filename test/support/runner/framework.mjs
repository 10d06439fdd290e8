// Runs one test file with Jest's framework, but Node loads the modules instead of Jest. Jest would load every library
// again for each file, which takes longer than the tests of most files.
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import circus from 'jest-circus/runner';
import { captureOutput } from './captured-output.mjs';
import { setGlobals } from './globals.mjs';
import { importTestFile } from './modules.mjs';

const require = createRequire(import.meta.url);

export default async function framework(globalConfig, config, environment, runtime, path, sendMessageToJest) {
  // Restores what Jest has set for its own source maps, because Node has the maps of the modules that it has loaded.
  Error.prepareStackTrace = undefined;
  const output = captureOutput(`What ${relative(config.rootDir, path)} wrote:`);
  let hasFailed = true;
  try {
    const result = await circus.default(
      globalConfig,
      config,
      environment,
      nodeRuntime(environment),
      path,
      sendMessageToJest,
    );
    hasFailed = result.numFailingTests > 0 || result.testExecError !== undefined;
    return result;
  } finally {
    // `npm run fuzz` prints the table of its tests.
    output.release(hasFailed || process.env.SHOW_OUTPUT !== undefined);
  }
}

/** The part of Jest's module loader that the framework uses. */
function nodeRuntime({ moduleMocker, fakeTimersModern }) {
  const jest = {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    replaceProperty: moduleMocker.replaceProperty.bind(moduleMocker),
    restoreAllMocks: () => moduleMocker.restoreAllMocks(),
    useFakeTimers: options => fakeTimersModern.useFakeTimers(options),
    useRealTimers: () => fakeTimersModern.useRealTimers(),
    advanceTimersByTimeAsync: milliseconds => fakeTimersModern.advanceTimersByTimeAsync(milliseconds),
  };
  return {
    requireModule: require,
    requireInternalModule: requireAnew,
    setGlobalsForRuntime: globals => setGlobals({ ...globals, jest }),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: importTestFile,
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
  };
}

/**
 * The framework stores the tests of a file in its own module and on the global object. Resets both, so that each file
 * starts without tests.
 */
function requireAnew(path) {
  for (const key of Object.getOwnPropertySymbols(globalThis)) {
    if (key === Symbol.for('EVENT_HANDLERS') || key.description === 'JEST_STATE_SYMBOL') delete globalThis[key];
  }
  delete require.cache[path];
  return require(path);
}

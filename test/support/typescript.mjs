// Imported first, it has Node run the TypeScript of this repository as it is: imports name what the compiler would make of
// a file, and Node looks for the file itself. What must be translated needs --experimental-transform-types.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const isOurs = /^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts');
    return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});

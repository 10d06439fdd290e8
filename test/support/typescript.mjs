// Imported first. Lets Node run the TypeScript files of this repository: imports name the compiled file (`.js`), and
// Node loads the source instead. Syntax that must be compiled needs --experimental-transform-types.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const isOurs = /^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts');
    return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});

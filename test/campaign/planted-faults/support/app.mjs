// A planted fault changes a method of the app before the app starts. The app then runs from its separate module files,
// because modules in the bundle cannot be changed.
import 'reflect-metadata';
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => next(specifier.replace(/\/bundle\/((?:server|run-cli)\.js)$/, '/$1'), context),
});

/** A module of the build, by its path below `dist`: the same instance that the app loads. */
export function ofApp(path) {
  return import(new URL(`../../../../dist/${path}`, import.meta.url).href);
}

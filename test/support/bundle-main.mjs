// Bundles a program of the tests with the build of the package: argument 1 is its file, argument 2 the folder to write into.
import { bundle } from '../../scripts/bundling.mjs';

const [file, folder] = process.argv.slice(2);
// One file: modules run in the order in which the program imports them.
await bundle(file, folder, { codeSplitting: false });

// Bundles a program of the tests with the build of the package. Argument 1 is the file of the program. Argument 2 is
// the output folder.
import { bundle } from '../../scripts/bundling.mjs';

const [file, folder] = process.argv.slice(2);
// Writes a single file, in which modules run in the order in which the program imports them.
await bundle(file, folder, { codeSplitting: false });

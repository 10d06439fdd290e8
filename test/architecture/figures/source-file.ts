// Node runs this file without a build: it may contain no syntax that must be compiled, and nothing of Jest.

/** A source file. Its path is relative to the root of the project, and contains forward slashes. */
export interface SourceFile {
  file: string;
  text: string;
}

/** The lines of a text. A line break at the end of the text does not begin another line. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** The role in a file name, such as `service` in `user.service.ts`. */
export function roleOf(file: string): string | undefined {
  return /(?:^|\/)[^/.]+\.([^/]+)\.tsx?$/.exec(file)?.[1];
}

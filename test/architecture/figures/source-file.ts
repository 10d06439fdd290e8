// Node runs this file as it is: no syntax that must be translated, and nothing of Jest.

/** A source file; its path is relative to the root of the project and has forward slashes. */
export interface SourceFile {
  file: string;
  text: string;
}

/** The lines of a text; the line break at its end begins no further one. */
export function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

/** The role that a file name states: `service` of `user.service.ts`. */
export function roleOf(file: string): string | undefined {
  return /(?:^|\/)[^/.]+\.([^/]+)\.tsx?$/.exec(file)?.[1];
}

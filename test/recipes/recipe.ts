// Node runs this file without a build: it may contain no syntax that must be compiled, and nothing of Jest.

/** A block of code of a recipe: a complete new file, or changes to an existing one. */
export interface Step {
  file: string;
  isChange: boolean;
  code: string;
}

/** The recipes of a CONTRIBUTING.md by heading, each with its steps in order. Blocks without a file are not steps. */
export function recipesOf(guide: string): Map<string, Step[]> {
  const [chapter = ''] = guide.split('\n## How to extend\n')[1]?.split('\n## ') ?? [];
  const [, ...sections] = chapter.split(/^### /m);
  return new Map(sections.map(section => [section.slice(0, section.indexOf('\n')), stepsOf(section)]));
}

function stepsOf(section: string): Step[] {
  const fence = /^( *)```(ts|diff) (\S+)\n([\s\S]*?)^ *```$/gm;
  return [...section.matchAll(fence)].map(([, margin = '', language, file = '', code = '']) => {
    const lines = code.split('\n').map(line => line.slice(margin.length));
    return { file, isChange: language === 'diff', code: lines.join('\n') };
  });
}

/**
 * The text of a file after a change. Each part of the change, from one `@@` to the next, must occur in the file exactly
 * once: its unmarked lines and those with `-`, in this order.
 */
export function changed(text: string, { file, code }: Step): string {
  return code
    .trimEnd()
    .split(/^@@\n/m)
    .reduce((before, part) => {
      const lines = part.split('\n').filter(line => line !== '');
      const old = textOf(lines.filter(line => !line.startsWith('+')));
      const places = before.split(old).length - 1;
      if (places !== 1) throw new Error(`${file} has ${places} places, not one, that read:\n${old}`);
      return before.replace(old, () => textOf(lines.filter(line => !line.startsWith('-'))));
    }, text);
}

/** The text of lines without their mark (`-`, `+` or space). Each line ends with a line break. */
function textOf(lines: readonly string[]): string {
  return lines.map(line => `${line.slice(1)}\n`).join('');
}

/** A sample incident for previews of templates. */
const EXAMPLE: Readonly<Record<string, string>> = {
  title: '[Service] policy_violation: Blocked: openai/o1-preview for ada@example.com (policy “No preview models”)',
  severity: 'high',
  policy: 'No preview models',
  action: 'block',
  summary: '',
  person: 'ada@example.com',
  department: 'Research',
  provider: 'openai',
  model: 'o1-preview',
  link: 'https://governance.example.com/incidents/0199c2a8',
};

const PLACE = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Preview of a ticket's title and text with a sample incident. */
export function TemplatePreview({ title, text }: { title: string; text: string }) {
  if (title.trim() === '' && text.trim() === '') return null;
  return (
    <div role="status" className="flex flex-col gap-2 border-l-2 border-line pl-4">
      <p className="label">Preview with an example incident</p>
      <p className="font-medium break-words">
        <bdi>{title.trim() === '' ? EXAMPLE['title'] : filled(title)}</bdi>
      </p>
      {text.trim() !== '' && (
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {filled(text)}
        </p>
      )}
      <p className="text-muted">
        “Create ticket” of an incident shows the whole ticket, as it would be sent, before it is sent.
      </p>
    </div>
  );
}

/** Unknown placeholders stay unchanged in the preview. The API rejects them. */
function filled(template: string): string {
  return template
    .replaceAll(PLACE, (place, name: string) => (Object.hasOwn(EXAMPLE, name) ? (EXAMPLE[name] ?? '') : place))
    .trim();
}

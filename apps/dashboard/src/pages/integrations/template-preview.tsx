/** An incident to show templates with. */
const EXAMPLE: Readonly<Record<string, string>> = {
  title: '[Service] policy_violation: No preview models',
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

/** The title and the text of a ticket for an incident that is made up. */
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

/** A name that is unknown stays as it is: the API refuses it. */
function filled(template: string): string {
  return template
    .replaceAll(PLACE, (place, name: string) => (Object.hasOwn(EXAMPLE, name) ? (EXAMPLE[name] ?? '') : place))
    .trim();
}

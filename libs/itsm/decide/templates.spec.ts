import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TEMPLATE_NAMES, templateFault, withTemplates } from './templates.js';

const DRAFT = {
  title: '[Service] policy_violation: No o1 by ada@example.com',
  severity: 'high' as const,
  payload: {
    provider: 'openai',
    model: '{{ person }}',
    details: { policy_name: 'No o1', user_email: 'ada@example.com', department: null },
  },
  link: 'https://g.example/v1/incidents/i-1',
};

const title = (template: string) => withTemplates(DRAFT, { title_template: template }).title;

describe('a template', () => {
  it.each([
    ['{{ policy }} by {{person}} ({{severity}})', 'No o1 by ada@example.com (high)'],
    ['AI: {{ title }}', `AI: ${DRAFT.title}`],
    ['{{ department }}|{{ summary }}|', '||'],
    ['no name at all', 'no name at all'],
  ])('inserts values: %s', (template, expected) => {
    expect(templateFault(template)).toBeUndefined();
    expect(title(template)).toBe(expected);
  });

  it('does not expand names within inserted values', () => {
    expect(title('{{ model }}')).toBe('{{ person }}');
  });

  it.each(['{{ constructor }}', '{{ __proto__ }}', '{{ policy.name }}', '{{ 1 + 1 }}', '{{}}', '{{ Policy }}'])(
    'refuses an unknown name: %s',
    template => {
      expect(templateFault(template)).toContain(Object.keys(TEMPLATE_NAMES).join(', '));
    },
  );

  it.each(['{{ policy', 'policy }}', '{{ policy }', '{{{{ policy }}'])('refuses unclosed braces: %s', template => {
    expect(templateFault(template)).toContain('{{');
  });

  it('keeps the default title if the result is empty', () => {
    expect(title('{{ department }}')).toBe(DRAFT.title);
  });

  it('truncates long values between characters', () => {
    const payload = { model: '\u{1F600}'.repeat(600) };
    const { text = '' } = withTemplates({ ...DRAFT, payload }, { text_template: '{{ model }}' });
    expect([Array.from(text).length, text.isWellFormed(), text.endsWith('…')]).toEqual([500, true, true]);
  });

  it('does not change a draft without a template', () => {
    expect(withTemplates(DRAFT, { queue: 'x' })).toBe(DRAFT);
  });

  it('never throws, and leaves no placeholder in a template that it accepts', () => {
    const piece = fc.constantFrom('{{', '}}', ' ', 'policy', 'person', 'x', '{', '}', '\n', '\u{1F600}', '$&', '$1');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const template = pieces.join('');
        const isGood = templateFault(template) === undefined;
        const text = withTemplates({ ...DRAFT, payload: {} }, { text_template: template }).text ?? '';
        if (isGood) expect(text).not.toMatch(/\{\{|\}\}/);
      }),
      { numRuns: 1_000 },
    );
  });
});

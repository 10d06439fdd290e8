import { BLANK, PolicyForm } from './policy-form.tsx';

/** A new policy. */
export function NewPolicySheet() {
  return <PolicyForm content={BLANK} />;
}

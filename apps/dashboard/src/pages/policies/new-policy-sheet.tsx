import { BLANK, PolicyForm } from './policy-form.tsx';

/** Sheet to create a policy. */
export function NewPolicySheet() {
  return <PolicyForm content={BLANK} />;
}

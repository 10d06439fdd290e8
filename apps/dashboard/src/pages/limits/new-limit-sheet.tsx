import { LimitForm } from './limit-form.tsx';

/** A new limit. */
export function NewLimitSheet() {
  return <LimitForm />;
}

import { Injectable } from '@nestjs/common';
import { ConditionOperator, type PresentValue } from 'nest-llm-governance/policy';

/**
 * An operator for departments: `{ "department": { "under": "Sales" } }` matches `Sales`, `Sales/EMEA` and all levels
 * below.
 */
@Injectable()
export class UnderOperator extends ConditionOperator<string> {
  override readonly name = 'under';

  override validateOperand(operand: unknown): string | undefined {
    return typeof operand === 'string' && operand !== '' ? undefined : 'must be the name of a department';
  }

  override compile(top: string): (value: PresentValue) => boolean {
    return value => value === top || (typeof value === 'string' && value.startsWith(`${top}/`));
  }

  override matchesMissing(): boolean {
    return false;
  }
}

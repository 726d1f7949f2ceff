import { NotFoundException, Param } from '@nestjs/common';
import { isKrn } from '@tandem/http-api';

/** Injects the path parameter `:krn`. @throws NotFoundException when the parameter does not have the form of a user's KRN */
export const KrnOfPath = (): ParameterDecorator =>
  Param('krn', {
    transform(text: string): string {
      if (!isKrn(text)) throw new NotFoundException('There is no such user');
      return text;
    },
  });

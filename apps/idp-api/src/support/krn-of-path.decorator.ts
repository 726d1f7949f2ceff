import { NotFoundException, Param } from '@nestjs/common';
import { isKrn } from '@tandem/http-api';

/** Injects the path parameter `:krn`. @throws NotFoundException unless the parameter is the KRN of a user */
export const KrnOfPath = (): ParameterDecorator =>
  Param('krn', {
    transform(text: string): string {
      if (!isKrn(text)) throw new NotFoundException('There is no such user');
      return text;
    },
  });

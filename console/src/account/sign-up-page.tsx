import { Page } from '../parts/page.js';

export const SignUpPage = () => <Page title="SignUpPage">…</Page>;

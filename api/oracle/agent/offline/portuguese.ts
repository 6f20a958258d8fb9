import { conditionsIn } from "./weather-words.ts";
import { formatsIn, type StateWords, type Words } from "./words.ts";

export const portuguese: Words = (() => {
  const { amount, number, list, date } = formatsIn("pt-PT");
  const states: StateWords = {
    active: "ativo",
    exhausted: "esgotado",
    expired: "expirado",
    suspended: "suspenso",
    cancelled: "anulado",
    swept: "recuperado",
    revoked: "revogado",
    pending: "pendente",
    valid: "válido",
    pending_delivery: "por entregar",
    under_review: "em análise",
    disputed: "contestado",
    flagged: "retido para análise",
    settled: "pago",
    reversed: "devolvido",
    lapsed: "caducado",
    rejected: "recusado",
    invalidated: "invalidado",
    approved: "aprovado",
    filed: "apresentado",
    requested: "pedido",
    finalised: "concluído",
    reverted: "devolvido",
    held: "detido",
  };
  const state = (name: string) => states[name] ?? name.replaceAll(/[_-]/g, " ");
  const many = (count: number, one: string, more = `${one}s`) => `${number(count)} ${count === 1 ? one : more}`;
  const agreed = (count: number, name: string) => {
    const word = state(name);
    return count === 1 || / |s$/.test(word) ? word : `${word}s`;
  };
  const types: StateWords = {
    campaign: "uma campanha",
    draw: "um sorteio",
    "kpt-claim": "uma medição KPT",
    result: "um resultado",
    certificate: "um certificado",
    voucher: "um vale",
    redemption: "um resgate",
    claim: "um pedido de pagamento",
    payment: "um pagamento",
    account: "uma conta",
    pool: "a reserva de troca",
    swap: "uma troca",
    conversion: "uma conversão",
    "itmo-block": "um bloco de ITMO",
    "itmo-serial": "um número de série de ITMO",
    action: "uma ação",
    transaction: "uma transação",
  };
  const roles: StateWords = {
    admin: "administração",
    implementer: "implementador",
    evaluator: "avaliador",
    regulator: "regulador",
    integrator: "visitante",
  };
  const stoppedWords = { claims: "pedido", vouchers: "vale", certificates: "certificado" } as const;
  return {
    count: ({ total, states: counted, certificateId }, asked) => {
      const of = certificateId === null ? "" : ` do certificado ${certificateId}`;
      const all = list(counted.map(({ status, count }) => `${number(count)} ${agreed(count, status)}`));
      if (total === 0) return `Não há vales${of}.`;
      if (asked === undefined) return `Há **${many(total, "vale")}**${of}: ${all}.`;
      const found = counted.find(({ status }) => status === asked);
      const count = found?.count ?? 0;
      const left = found === undefined || asked !== "active" ? "" : ` Restam ${amount(found.remaining)} CARBON.`;
      const others = count === total ? "" : ` De ${number(total)} ao todo: ${all}.`;
      return `**${many(count, "vale")}**${of} ${agreed(count, asked)}.${left}${others}`;
    },
    voucher: ({ id, status, value, remaining, expiryDate }, link) =>
      `O vale ${link(id)} está **${state(status)}**. Restam ${amount(remaining)} de ${amount(value)} CARBON. O último dia é ${date(expiryDate)}.`,
    where: ({ id, type, status, certificate, around, isPartial }, link) => {
      const is = status === null ? "" : `, **${state(status)}**`;
      const from = certificate === null || certificate.id === id ? "" : ` Vem do certificado ${link(certificate.id)}.`;
      const tonnes =
        certificate?.id === id
          ? ` Foram verificadas ${amount(certificate.verified)} t e emitidos ${amount(certificate.issued)} CARBON.`
          : "";
      const parts = [
        around.vouchers > 0 && type !== "voucher" ? many(around.vouchers, "vale") : undefined,
        around.redemptions > 0 ? many(around.redemptions, "resgate") : undefined,
        around.claims > 0 ? many(around.claims, "pedido") : undefined,
        around.payments > 0 ? many(around.payments, "pagamento") : undefined,
        around.conversions > 0 ? many(around.conversions, "conversão", "conversões") : undefined,
        around.itmoBlocks > 0 ? many(around.itmoBlocks, "bloco de ITMO", "blocos de ITMO") : undefined,
      ].filter((part) => part !== undefined);
      const chain = parts.length === 0 ? "" : ` À volta: ${isPartial ? "pelo menos " : ""}${list(parts)}.`;
      return `${link(id)} é ${types[type] ?? type}${is}.${from}${tonnes}${chain} O rasto mostra cada passo.`;
    },
    owed: ({ role, supplierDid, total, owed, paid, debt }) => {
      const whom = supplierDid === null ? "Devem-se a todos os fornecedores juntos" : "Devem-lhe";
      const nothing = supplierDid === null ? "Não se deve nada aos fornecedores." : "Não lhe devem nada.";
      const by = list(owed.map(({ status, count, carbon }) => `${amount(carbon)} ${state(status)} (${number(count)})`));
      const was = list(
        paid.map(({ asset, amount: sum, count }) => `${amount(sum)} ${asset} (${many(count, "pagamento")})`),
      );
      return [
        owed.length === 0 ? nothing : `${whom} **${amount(total)} CARBON**: ${by}.`,
        paid.length === 0 ? "Ainda nada foi pago." : `Já pago: ${was}.`,
        debt === "0" ? "" : `Há ${amount(debt)} CARBON a devolver, de pedidos considerados inválidos.`,
        supplierDid === null ? `O seu papel é: ${roles[role] ?? role}. Não é fornecedor.` : "",
      ]
        .filter((sentence) => sentence !== "")
        .join(" ");
    },
    problems: ({ checked, violated, unchecked, stopped }) => {
      const wrong = violated.map(({ title, violations }) => `- ${title}: **${many(violations, "falha")}**`);
      const unknown = unchecked.map(({ title, reason }) => `- Não verificado: ${title} ${reason}`.trim());
      const held = list(
        stopped.map(({ what, status, count }) => `${many(count, stoppedWords[what])}: ${state(status)}`),
      );
      return [
        violated.length === 0
          ? `Nada é contado duas vezes: **${many(checked, "verificação", "verificações")}** sem falhas.`
          : `${many(violated.length, "verificação", "verificações")} da dupla contagem com falhas:\n\n${wrong.join("\n")}`,
        ...(unknown.length === 0 ? [] : [`\n\n${unknown.join("\n")}\n\n`]),
        stopped.length === 0 ? "Nada está retido, contestado, suspenso ou revogado." : `À espera ou parado: ${held}.`,
      ].join(" ");
    },
    weather: ({ city, degrees, conditions, isMean }) =>
      isMean
        ? `Em ${city}, costumam estar **${number(degrees)} °C** neste mês (${conditionsIn("pt", conditions)}). É uma média de longo prazo, não uma medição.`
        : `Em ${city}, estão **${number(degrees)} °C** (${conditionsIn("pt", conditions)}).`,
    whichVoucher: "Que vale? Escreva o número, por exemplo VCHR-….",
    whichId: "Que registo? Escreva o número, por exemplo VCHR-…, CERT-… ou CLM-….",
    whichCity: "Em que cidade? Pergunte por exemplo: Que tempo faz em Lusaka?",
    failed: (why) => `Não consegui descobrir. ${why}`,
    unclear: "Não percebi.",
    understood: "Percebo perguntas como estas:",
    examples: [
      "Quantos vales estão ativos?",
      "Qual é o estado de VCHR-…?",
      "Quanto me devem?",
      "Há algum problema?",
      "Onde está CERT-…?",
      "Que tempo faz em Lusaka?",
    ],
    fits: (title) =>
      `“${title}” corresponde à sua mensagem. É preciso um modelo de linguagem, ou as páginas da consola.`,
    offline: "Respondo por regras fixas, porque nenhum modelo de linguagem está ligado.",
  };
})();

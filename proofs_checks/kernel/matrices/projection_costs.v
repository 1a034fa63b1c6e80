(* Costs tr((1 - P) A'A) = |A - AP|_F^2 of orthogonal projections of rank k, for every size: the least cost, and what
   is lost by a projection that is best for a matrix near A'A (sliding-window definition-2, theorem-6, theorem-7). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix.matrices Require Import inner_products spectral_theorem eigenvalues spectral_norms projectors.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* analyze-gauss.trace-properties, step idempotent. *)
Theorem trace_idempotent (F : fieldType) d (P : 'M[F]_d) : P *m P = P -> \tr P = (\rank P)%:R.
Proof.
move=> PP; have e := mulmx_base P; have one : row_base P *m col_base P = 1%:M.
  have free := row_free_inj (row_base_free P); have full := row_full_inj (col_base_full P).
  apply: full; apply: free; rewrite mulmx1 /= e mulmxA e -mulmxA; apply: etrans PP.
  by congr (P *m _).
by rewrite -{1}e mxtrace_mulC one mxtrace1.
Qed.

Section costs.
Variable R : realFieldType.
Variable d : nat.
Implicit Types (C P X Q : 'M[R]_d) (l : 'rV[R]_d) (k : nat).

Definition cost C P : R := \tr ((1%:M - P) *m C).

Lemma cost_frobenius n (A : 'M[R]_(n, d)) P : projector P -> frobenius2 (A - A *m P) = cost (A^T *m A) P.
Proof.
move=> /projector_complement [symP PP]; rewrite -{1}[A]mulmx1 -mulmxBr frobenius2E trmx_mul symP.
by rewrite -!mulmxA [in LHS]mxtrace_mulC -!mulmxA PP mulmxA mxtrace_mulC /cost.
Qed.

Lemma cost_trace C P : cost C P = \tr C - \tr (C *m P).
Proof. by rewrite /cost mulmxBl mul1mx linearB /= (mxtrace_mulC P). Qed.

Lemma trace_rank P : projector P -> \tr P = (\rank P)%:R.
Proof. by case=> _; exact: trace_idempotent. Qed.

Lemma trace_eigenvalues Q l C : spectrum Q l C -> \tr C = \sum_i l 0 i.
Proof.
move=> S; have [QQ _ _] := S; rewrite -[C]mulmx1 (trace_spectrum _ S); apply: eq_bigr => i _.
by rewrite form_scalar mul1r norm2_col ?mulr1.
Qed.

(* sliding-window.notation-facts, steps frobenius-norm and spectral-norm: s the singular values of A, n x d. *)
Theorem frobenius_norm_by_singular_values n (A : 'M[R]_(n, d)) Q (s : 'rV[R]_d) :
  spectrum Q (\row_i s 0 i ^+ 2) (A^T *m A) -> frobenius2 A = \sum_i s 0 i ^+ 2.
Proof. by move=> S; rewrite frobenius2E (trace_eigenvalues S); apply: eq_bigr => i _; rewrite mxE. Qed.

Theorem largest_singular_value_bounds n (A : 'M[R]_(n, d)) Q (s : 'rV[R]_d) (i : 'I_d) x :
  spectrum Q (\row_i s 0 i ^+ 2) (A^T *m A) -> val i = 0%N ->
  norm2 (A *m x) <= s 0 i ^+ 2 * norm2 x /\ norm2 (A *m col i Q) = s 0 i ^+ 2.
Proof.
move=> S i0; split; first by have := form_le_largest x S i0; rewrite form_gram mxE.
by rewrite -form_gram (form_eigenvector i S) mxE.
Qed.

Lemma cost_split Q l C k : spectrum Q l C ->
  \tr C - (\sum_(i < d | (i < k)%N) l 0 i) = \sum_(i < d | ~~ (i < k)%N) l 0 i.
Proof. by move=> S; rewrite (trace_eigenvalues S) (bigID (fun i : 'I_d => (i < k)%N)) /= addrAC subrr add0r. Qed.

(* sliding-window.definition-2+repair: A is n x d, and l the eigenvalues of A'A. *)
Theorem least_cost n (A : 'M[R]_(n, d)) Q l P :
  spectrum Q l (A^T *m A) -> projector P -> \sum_(i < d | ~~ (i < \rank P)%N) l 0 i <= frobenius2 (A - A *m P).
Proof.
move=> S pP; rewrite cost_frobenius // cost_trace -(cost_split _ S) ler_add2l ler_opp2.
by apply: (captured_most S pP (trace_rank pP)); exact: rank_leq_row.
Qed.

Theorem least_cost_is_attained n (A : 'M[R]_(n, d)) Q l k :
  spectrum Q l (A^T *m A) -> (k <= d)%N ->
  \rank (top_projector Q k) = k /\ frobenius2 (A - A *m top_projector Q k) = \sum_(i < d | ~~ (i < k)%N) l 0 i.
Proof.
move=> S kd; have [QQ _ _] := S; have pX := projector_top k QQ; split.
  by apply/eqP; rewrite -(eqr_nat R) -trace_rank // trace_top.
by rewrite cost_frobenius // cost_trace (trace_top_spectrum k S) (cost_split _ S).
Qed.

(* sliding-window.theorem-16, step optimality. *)
Theorem first_eigenvectors_cost_least C Q l P k :
  spectrum Q l C -> projector P -> \rank P = k -> cost C (top_projector Q k) <= cost C P.
Proof.
move=> S pP rP; rewrite !cost_trace ler_add2l ler_opp2 (trace_top_spectrum k S).
have kd : (k <= d)%N by rewrite -rP rank_leq_row.
by apply: (captured_most S pP _ kd); rewrite (trace_rank pP) rP.
Qed.

(* sliding-window.algorithm-4+repair. *)
Corollary algorithm_4_attains_the_least_cost C Q l k :
  spectrum Q l C -> (k <= d)%N ->
  [/\ projector (top_projector Q k), \rank (top_projector Q k) = k
    & forall P, projector P -> \rank P = k -> cost C (top_projector Q k) <= cost C P].
Proof.
move=> S kd; have [QQ _ _] := S; have pX := projector_top k QQ; split=> // [|P pP rP].
  by apply/eqP; rewrite -(eqr_nat R) -trace_rank // trace_top.
exact: first_eigenvectors_cost_least S pP rP.
Qed.

Lemma trace_semidefinite C P : projector P -> semidefinite C -> 0 <= \tr (C *m P).
Proof.
move=> [symP PP] C0; rewrite -{1}PP mulmxA mxtrace_mulC mulmxA -{1}symP; apply: sumr_ge0 => i _.
have -> : (P^T *m C *m P) i i = form (P^T *m C *m P) (delta_mx i 0).
  by rewrite /form dotE trmx_delta -colE -rowE !mxE.
by rewrite form_congruence.
Qed.

(* Projections cost nearly the same under matrices that differ by at most z in spectral norm. *)
Lemma trace_spectral E P z : projector P -> spectral_bound E z -> `|\tr (E *m P)| <= z * \tr P.
Proof.
move=> pP Ez.
have bound (F : 'M[R]_d) : spectral_bound F z -> \tr (F *m P) <= z * \tr P.
  move=> Fz; rewrite -subr_ge0.
  have -> : z * \tr P - \tr (F *m P) = \tr ((z%:M - F) *m P) by rewrite mulmxBl linearB /= mul_scalar_mx linearZ.
  apply: trace_semidefinite => // x; rewrite formB form_scalar subr_ge0.
  exact: le_trans (ler_norm _) (spectral_form x Fz).
rewrite ler_norml bound // andbT ler_oppl -linearN /= -mulNmx; apply: bound; exact: spectral_boundN.
Qed.

Lemma trace_complement P : projector P -> \tr (1%:M - P) = (d - \rank P)%:R.
Proof. by move=> pP; rewrite linearB /= mxtrace1 trace_rank // natrB ?rank_leq_row. Qed.

Lemma cost_near C C' P z : projector P -> spectral_bound (C' - C) z -> `|cost C' P - cost C P| <= z * (d - \rank P)%:R.
Proof.
move=> pP near; have := trace_spectral (projector_complement pP) near; rewrite trace_complement //.
by rewrite mxtrace_mulC mulmxBr linearB.
Qed.

(* What two projections of one rank gain and lose by the difference of the matrices. *)
Lemma costs_near C C' P X z k :
  projector P -> projector X -> \rank P = k -> \rank X = k -> spectral_bound (C' - C) z ->
  (cost C' X - cost C X) - (cost C' P - cost C P) <= 2%:R * (minn k (d - k))%:R * z.
Proof.
move=> pP pX rP rX near.
have bound (c : R) (u v : R) : `|u| <= z * c -> `|v| <= z * c -> u - v <= 2%:R * c * z.
  move=> uc vc; have -> : 2%:R * c * z = z * c + z * c by ring.
  by apply: ler_add; [exact: le_trans (ler_norm _) uc | rewrite -normrN in vc; exact: le_trans (ler_norm _) vc].
have trE P' : cost C' P' - cost C P' = \tr (C' - C) - \tr ((C' - C) *m P').
  by rewrite !cost_trace mulmxBl !linearB /=; ring.
rewrite /minn; case: ifP => _; last first.
  by apply: bound; rewrite -?rP -?rX; [rewrite rP -rX|]; exact: cost_near.
rewrite !trE; have -> (t u v : R) : t - u - (t - v) = v - u by ring.
by apply: bound; [rewrite -rP | rewrite -rX]; rewrite -trace_rank //; exact: trace_spectral.
Qed.

(* sliding-window.theorem-6+repair; theorem-16. *)
Theorem chosen_projection_costs_little_more C C' P X z k :
  projector P -> projector X -> \rank P = k -> \rank X = k -> spectral_bound (C' - C) z -> cost C' P <= cost C' X ->
  cost C P <= cost C X + 2%:R * (minn k (d - k))%:R * z.
Proof.
move=> pP pX rP rX near best.
rewrite addrC -ler_subl_addr; apply: le_trans (costs_near pP pX rP rX near).
rewrite -subr_ge0; have -> : cost C' X - cost C X - (cost C' P - cost C P) - (cost C P - cost C X)
  = cost C' X - cost C' P by ring.
by rewrite subr_ge0.
Qed.

(* sliding-window.theorem-7+repair. *)
Theorem approximate_choice_costs_little_more C C' P X z g k :
  projector P -> projector X -> \rank P = k -> \rank X = k -> spectral_bound (C' - C) z -> 1 <= g ->
  cost C' P <= g ^+ 2 * cost C' X ->
  cost C P <= g ^+ 2 * cost C X + ((g ^+ 2 - 1) * (d - k)%:R + 2%:R * (minn k (d - k))%:R) * z.
Proof.
move=> pP pX rP rX near g1 best; have apart := costs_near pP pX rP rX near.
have := cost_near pX near; rewrite rX ler_norml => /andP[_ nX].
have gain : (g ^+ 2 - 1) * (cost C' X - cost C X) <= (g ^+ 2 - 1) * (z * (d - k)%:R).
  by apply: ler_wpmul2l nX; rewrite subr_ge0 exprn_ege1.
have -> : g ^+ 2 * cost C X + ((g ^+ 2 - 1) * (d - k)%:R + 2%:R * (minn k (d - k))%:R) * z
  = g ^+ 2 * cost C X + ((g ^+ 2 - 1) * (z * (d - k)%:R) + 2%:R * (minn k (d - k))%:R * z) by ring.
apply: le_trans (ler_add (lexx _) (ler_add gain apart)).
have -> : g ^+ 2 * cost C X + ((g ^+ 2 - 1) * (cost C' X - cost C X) + (cost C' X - cost C X - (cost C' P - cost C P)))
  = g ^+ 2 * cost C' X - cost C' P + cost C P by ring.
by rewrite ler_addr subr_ge0.
Qed.

(* analyze-gauss.theorem-4, step 3-noise: V has k orthonormal columns. *)
Theorem captured_noise k (V : 'M[R]_(d, k)) E z : frame V -> spectral_bound E z -> \tr (V^T *m E *m V) <= k%:R * z.
Proof.
move=> VV Ez; have pV : projector (V *m V^T).
  by split; [rewrite /symmetric trmx_mul trmxK | rewrite -mulmxA (mulmxA V^T) VV mul1mx].
have := trace_spectral pV Ez; rewrite (mxtrace_mulC V) VV mxtrace1 mulrC; apply: le_trans.
by rewrite -mulmxA mxtrace_mulC -mulmxA ler_norm.
Qed.

(* sliding-window.lemma-11+repair: a block near gamma times the identity has full rank. *)
Lemma planted_gap (psi gamma : R) : 1 <= psi -> 2%:R * psi ^+ 2 <= gamma -> 4%:R * psi ^+ 4 <= gamma ^+ 2.
Proof.
move=> p1 pg; have -> : 4%:R * psi ^+ 4 = (2%:R * psi ^+ 2) ^+ 2 by ring.
have a0 : 0 <= 2%:R * psi ^+ 2 by rewrite mulr_ge0 ?ler0n ?sqr_ge0.
by rewrite ler_pexpn2r ?nnegrE // (le_trans a0).
Qed.

Theorem planted_block_has_full_rank (Y : 'M[R]_d) psi gamma :
  1 <= psi -> 2%:R * psi ^+ 2 <= gamma -> frobenius2 (Y - gamma%:M) <= psi -> \rank Y = d.
Proof.
move=> p1 /(planted_gap p1) pg err; apply/eqP; rewrite -[_ == d]/(row_free Y) -kermx_eq0.
apply/rowV0P => v /sub_kermxP vY; apply/eqP/negP => v0.
have nv : 0 < norm2 v^T by rewrite norm2_gt0; apply/eqP => e; case: v0; rewrite -[v]trmxK e trmx0.
have := spectral_below_frobenius (Y - gamma%:M)^T v^T; rewrite linearB /= tr_scalar_mx mulmxBl -trmx_mul vY trmx0 sub0r.
rewrite mul_scalar_mx /norm2 dotNl dotNr opprK dotZl dotZr mulrA -expr2 -/(norm2 _) -tr_scalar_mx -linearB frobenius2T /=.
rewrite ler_pmul2r // => /le_trans/(_ err)/(le_trans pg).
have p0 : 0 < psi by apply: lt_le_trans p1.
rewrite leNgt => /negP; apply; rewrite exprS mulrCA -{1}[psi]mulr1 ltr_pmul2l //.
by apply: lt_le_trans (_ : 4%:R * 1 <= _); rewrite ?mulr1 ?ltr1n // -{1}[4%:R]mulr1 ler_wpmul2l ?ler0n // exprn_ege1.
Qed.

(* sliding-window.lemma-12+repair: coefficients of a column Y c outside the block, whose squared error counts too. *)
Theorem coefficients_are_small (Y : 'M[R]_d) (c : 'cV[R]_d) psi gamma j :
  1 <= psi -> 2%:R * psi ^+ 2 <= gamma -> frobenius2 (Y - gamma%:M) + norm2 (Y *m c) <= psi ->
  c j 0 ^+ 2 <= 4%:R / psi ^+ 3.
Proof.
move=> p1 /(planted_gap p1) pg err; have p0 : 0 < psi by apply: lt_le_trans p1.
have eY : frobenius2 (Y - gamma%:M) <= psi by apply: le_trans err; rewrite ler_addl norm2_ge0.
have ec : norm2 (Y *m c) <= psi by apply: le_trans err; rewrite ler_addr frobenius2_ge0.
have par (u v : 'cV[R]_d) : norm2 (u - v) <= 2%:R * norm2 u + 2%:R * norm2 v.
  rewrite -subr_ge0; have -> : 2%:R * norm2 u + 2%:R * norm2 v - norm2 (u - v) = norm2 (u + v).
    by rewrite !norm2D dotNr /norm2 dotNl dotNr; ring.
  exact: norm2_ge0.
have big : gamma ^+ 2 * norm2 c <= 2%:R * psi + 2%:R * (psi * norm2 c).
  rewrite -norm2Z -mul_scalar_mx; have -> : gamma%:M *m c = Y *m c - (Y - gamma%:M) *m c by rewrite mulmxBl opprB addrC subrK.
  apply: le_trans (par _ _) _; rewrite ler_add // ler_wpmul2l ?ler0n //.
  by apply: le_trans (spectral_below_frobenius _ _) _; rewrite ler_wpmul2r ?norm2_ge0.
have cj : c j 0 ^+ 2 <= norm2 c.
  by rewrite /norm2 /dot (bigD1 j) //= expr2 ler_addl sumr_ge0 // => i _; rewrite -expr2 sqr_ge0.
apply: le_trans cj _; rewrite ler_pdivl_mulr ?exprn_gt0 //.
have p3 : 0 < psi ^+ 3 by rewrite exprn_gt0.
have low : 4%:R * psi ^+ 4 * norm2 c <= 2%:R * psi + 2%:R * (psi * norm2 c).
  by apply: le_trans big; rewrite ler_wpmul2r ?norm2_ge0.
have more : psi * norm2 c <= psi ^+ 4 * norm2 c.
  by rewrite ler_wpmul2r ?norm2_ge0 // exprS ler_pmulr // exprn_ege1.
have : 2%:R * psi ^+ 4 * norm2 c <= 2%:R * psi.
  rewrite -(ler_add2r (2%:R * (psi ^+ 4 * norm2 c))).
  have -> : 2%:R * psi ^+ 4 * norm2 c + 2%:R * (psi ^+ 4 * norm2 c) = 4%:R * psi ^+ 4 * norm2 c by ring.
  by apply: le_trans low _; rewrite ler_add2l ler_wpmul2l ?ler0n.
have -> : 2%:R * psi ^+ 4 * norm2 c = 2%:R * psi * (norm2 c * psi ^+ 3) by ring.
rewrite -{2}[2%:R * psi]mulr1 ler_pmul2l ?mulr_gt0 ?ltr0n // => /le_trans; apply.
by rewrite (ler_nat R 1 4).
Qed.

End costs.

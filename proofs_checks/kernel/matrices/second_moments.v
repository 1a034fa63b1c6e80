(* What one record changes in a second-moment matrix, for every dimension: the norms in which the documents bound it
   (wishart.definition-3, definition-5, lemma-2, nuclear-norm-bound; near-optimal.theorem-5, theorem-6). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix.matrices Require Import inner_products spectral_theorem eigenvalues spectral_norms projectors.
From DPMatrix.matrices Require Import subspace_perturbation.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section second_moments.
Variable R : rcfType.
Variable d : nat.
Implicit Types (u v w x : 'cV[R]_d).

Lemma gram_outer n (X : 'M[R]_(d, n)) : X *m X^T = \sum_j outer (col j X).
Proof.
apply/matrixP => i h; rewrite summxE mxE; apply: eq_bigr => j _.
by rewrite outerE !mxE.
Qed.

Lemma change_of_gram n (X Y : 'M[R]_(d, n)) j :
  (forall i, i != j -> col i X = col i Y) -> X *m X^T - Y *m Y^T = outer (col j X) - outer (col j Y).
Proof.
move=> same; rewrite !gram_outer (bigD1 j) //= [X in _ - X](bigD1 j) //= opprD addrACA.
by rewrite (eq_bigr (fun i => outer (col i Y))) => [|i /same -> //]; rewrite subrr addr0.
Qed.

(* near-optimal.theorem-6, steps score-difference, score-bound and range. *)
Theorem score_difference n (X Y : 'M[R]_(d, n)) j v :
  (forall i, i != j -> col i X = col i Y) ->
  form (X *m X^T) v - form (Y *m Y^T) v = dot v (col j X) ^+ 2 - dot v (col j Y) ^+ 2.
Proof. by move=> /change_of_gram e; rewrite -formB e formB !form_outer !(dotC v). Qed.

Lemma unit_square (s : R) : 0 <= s -> s <= 1 -> s ^+ 2 <= 1.
Proof. by move=> s0 s1; rewrite expr_le1. Qed.

Lemma dot2_le1 u v : norm2 u <= 1 -> norm2 v <= 1 -> dot u v ^+ 2 <= 1.
Proof.
by move=> u1 v1; apply: le_trans (cauchy_schwarz u v) _; rewrite mulr_ile1 ?norm2_ge0.
Qed.

Lemma unit_difference (p q : R) : 0 <= p <= 1 -> 0 <= q <= 1 -> - 1 <= p - q <= 1.
Proof.
move=> /andP[p0 p1] /andP[q0 q1]; rewrite ler_subr_addr ler_subl_addr ler_paddr // andbT.
by apply: le_trans p0; rewrite addrC subr_le0.
Qed.

Theorem score_change_at_most_one n (X Y : 'M[R]_(d, n)) j v :
  (forall i, i != j -> col i X = col i Y) -> norm2 v <= 1 -> norm2 (col j X) <= 1 -> norm2 (col j Y) <= 1 ->
  `|form (X *m X^T) v - form (Y *m Y^T) v| <= 1.
Proof.
move=> same v1 x1 y1; rewrite (score_difference v same) ler_norml.
by rewrite unit_difference ?sqr_ge0 ?dot2_le1.
Qed.

Lemma captured_outer k (V : 'M[R]_(d, k)) v : \tr (V^T *m outer v *m V) = norm2 (V^T *m v).
Proof. by rewrite -trace_outer /outer trmx_mul trmxK !mulmxA. Qed.

Lemma bessel k (V : 'M[R]_(d, k)) v : frame V -> norm2 (V^T *m v) <= norm2 v.
Proof.
move=> VV; have pV : projector (V *m V^T).
  by split; [rewrite /symmetric trmx_mul trmxK | rewrite -mulmxA (mulmxA V^T) VV mul1mx].
have := form_projector_le v pV; rewrite form_projector // /norm2 -mulmxA -/(norm2 _) norm2_frame //.
Qed.

Theorem range_of_score_change n k (X Y : 'M[R]_(d, n)) j (V : 'M[R]_(d, k)) :
  (forall i, i != j -> col i X = col i Y) -> norm2 (col j X) <= 1 -> norm2 (col j Y) <= 1 -> frame V ->
  - 1 <= \tr (V^T *m (X *m X^T) *m V) - \tr (V^T *m (Y *m Y^T) *m V) <= 1.
Proof.
move=> same x1 y1 VV; rewrite -linearB /= -mulmxBl -mulmxBr (change_of_gram same) mulmxBr mulmxBl linearB /=.
by rewrite !captured_outer unit_difference ?norm2_ge0 ?(le_trans (bessel _ VV)).
Qed.

(* Frobenius norm. *)
Theorem frobenius2_of_change v w :
  frobenius2 (outer v - outer w) = norm2 v ^+ 2 + norm2 w ^+ 2 - dot v w ^+ 2 *+ 2.
Proof.
have sq a b : dot a b ^+ 2 = \tr (outer a *m outer b) :> R.
  by rewrite mxtrace_mulC -form_trace form_outer dotC.
rewrite frobenius2E [(outer v - _)^T]linearB /= !outer_sym mulmxBl !mulmxBr !linearB /= -!sq dotC /norm2; ring.
Qed.

(* wishart.theorem-7, step trace-value. *)
Corollary trace_value v w : norm2 v = 1 -> norm2 w = 1 ->
  \tr ((outer v - outer w) *m (outer v - outer w)^T) = 2%:R - 2%:R * dot v w ^+ 2.
Proof.
move=> v1 w1; rewrite mxtrace_mulC -frobenius2E frobenius2_of_change v1 w1; ring.
Qed.

Theorem frobenius_of_replacement v w : norm2 v <= 1 -> norm2 w <= 1 -> frobenius (outer v - outer w) <= Num.sqrt 2%:R.
Proof.
move=> v1 w1; rewrite ler_wsqrtr // frobenius2_of_change ler_subl_addr ler_paddr ?mulrn_wge0 ?sqr_ge0 //.
by rewrite -[2%:R]/(1 + 1) ler_add ?unit_square ?norm2_ge0.
Qed.

Lemma frobenius_of_removal v : norm2 v <= 1 -> frobenius (outer v) <= 1.
Proof.
move=> v1; rewrite -[X in _ <= X]sqrtr1 ler_wsqrtr //.
rewrite -[outer v]subr0 -(_ : outer 0 = 0) ?frobenius2_of_change; last by rewrite /outer mul0mx.
by rewrite /norm2 !dot0r !expr0n mul0rn subr0 addr0 unit_square ?norm2_ge0.
Qed.

(* near-optimal.theorem-5: the triangle on and above the diagonal. *)
Definition triangle2 (A : 'M[R]_d) : R := \sum_(i < d) \sum_(j < d | (i <= j)%N) A i j ^+ 2.
Definition triangle1 (A : 'M[R]_d) : R := \sum_(i < d) \sum_(j < d | (i <= j)%N) `|A i j|.

Theorem triangle_of_change v w : norm2 v <= 1 -> norm2 w <= 1 -> triangle2 (outer v - outer w) <= 2%:R.
Proof.
move=> v1 w1; apply: le_trans (_ : frobenius2 (outer v - outer w) <= _).
  apply: ler_sum => i _; rewrite [X in _ <= X](bigID (fun j : 'I_d => (i <= j)%N)) /= ler_addl.
  by apply: sumr_ge0 => j _; exact: sqr_ge0.
rewrite frobenius2_of_change ler_subl_addr ler_paddr ?mulrn_wge0 ?sqr_ge0 //.
by rewrite -[2%:R]/(1 + 1) ler_add ?unit_square ?norm2_ge0.
Qed.

(* The l1 norm of all entries. *)
Definition entrywise1 (A : 'M[R]_d) : R := \sum_i \sum_j `|A i j|.

Lemma entrywise1_le A : entrywise1 A <= d%:R * frobenius A.
Proof.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?mulr_ge0 ?frobenius_ge0 ?ler0n //; last first.
  by apply: sumr_ge0 => i _; apply: sumr_ge0.
have row (i : 'I_d) : (\sum_j `|A i j|) ^+ 2 <= d%:R * \sum_j A i j ^+ 2.
  have := sum_cauchy_schwarz (fun=> 1) (fun j => `|A i j|).
  under eq_bigr do rewrite mul1r; under [X in _ <= X * _]eq_bigr do rewrite expr1n.
  by under [X in _ <= _ * X]eq_bigr do rewrite real_normK ?num_real //; rewrite sumr_const card_ord.
rewrite exprMn frobenius_sqr expr2 -mulrA.
have := sum_cauchy_schwarz (fun=> 1) (fun i => \sum_j `|A i j|).
under eq_bigr do rewrite mul1r; under [X in _ <= X * _]eq_bigr do rewrite expr1n.
rewrite sumr_const card_ord => /le_trans; apply; rewrite ler_wpmul2l ?ler0n // mulr_sumr.
by apply: ler_sum => i _.
Qed.

(* wishart.lemma-2, step upper-bound: sqrt(2) d, below 2 d. *)
Theorem entrywise1_of_replacement v w : norm2 v <= 1 -> norm2 w <= 1 -> (0 < d)%N ->
  entrywise1 (outer v - outer w) <= Num.sqrt 2%:R * d%:R /\ Num.sqrt 2%:R * d%:R < 2%:R * d%:R :> R.
Proof.
move=> v1 w1 d0; split.
  by apply: le_trans (entrywise1_le _) _; rewrite mulrC ler_wpmul2r ?ler0n ?frobenius_of_replacement.
rewrite ltr_pmul2r ?ltr0n // -(@ltr_pexpn2r _ 2) ?nnegrE ?sqrtr_ge0 ?ler0n // sqr_sqrtr ?ler0n //.
by rewrite -natrX ltr_nat.
Qed.

Lemma entrywise1_outer v : entrywise1 (outer v) = (\sum_i `|v i 0|) ^+ 2.
Proof.
rewrite expr2 mulr_suml; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _.
by rewrite outerE normrM.
Qed.

Lemma absolute_sum2 v : (\sum_i `|v i 0|) ^+ 2 <= d%:R * norm2 v.
Proof.
have := sum_cauchy_schwarz (fun=> 1) (fun i => `|v i 0|).
under eq_bigr do rewrite mul1r; under [X in _ <= X * _]eq_bigr do rewrite expr1n.
under [X in _ <= _ * X]eq_bigr do rewrite real_normK ?num_real // expr2.
by rewrite sumr_const card_ord.
Qed.

Lemma entrywise1_of_removal v : norm2 v <= 1 -> entrywise1 (outer v) <= d%:R.
Proof.
move=> v1; rewrite entrywise1_outer; apply: le_trans (absolute_sum2 v) _.
by rewrite -[X in _ <= X]mulr1 ler_wpmul2l ?ler0n.
Qed.

(* wishart.lemma-2, step lower-bound: the flat vector attains d. *)
Theorem flat_record_attains : (0 < d)%N ->
  exists2 v, norm2 v <= 1 & entrywise1 (outer v - outer 0) = d%:R.
Proof.
move=> d0; have dR : d%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have s2 : (Num.sqrt d%:R)^-1 ^+ 2 = d%:R^-1 :> R by rewrite exprVn sqr_sqrtr ?ler0n.
exists (const_mx (Num.sqrt d%:R)^-1).
  rewrite /norm2 /dot; under eq_bigr do rewrite !mxE -expr2 s2.
  by rewrite sumr_const card_ord -mulr_natr mulVf.
rewrite (_ : outer 0 = 0) ?subr0; last by rewrite /outer mul0mx.
rewrite entrywise1_outer; under eq_bigr do rewrite mxE ger0_norm ?invr_ge0 ?sqrtr_ge0 //.
by rewrite sumr_const card_ord -[_ *+ d]mulr_natr exprMn s2 expr2 mulrA mulVf // mul1r.
Qed.

(* The nuclear norm of a symmetric matrix is the sum of the absolute values of its eigenvalues. *)
Theorem nuclear_norm_of_change v w Q l :
  spectrum Q l (outer v - outer w) -> \sum_i `|l 0 i| <= norm2 v + norm2 w.
Proof.
move=> S; have [QQ _ _] := S.
rewrite (norm2_coordinates v QQ) (norm2_coordinates w QQ) -big_split /=; apply: ler_sum => i _.
rewrite -(form_eigenvector i S) formB !form_outer (dotC v) (dotC w).
by apply: le_trans (ler_norm_sub _ _) _; rewrite !ger0_norm ?sqr_ge0.
Qed.

Corollary nuclear_norm_at_most_two v w Q l :
  spectrum Q l (outer v - outer w) -> norm2 v <= 1 -> norm2 w <= 1 -> \sum_i `|l 0 i| <= 2%:R.
Proof.
by move=> S v1 w1; apply: le_trans (nuclear_norm_of_change S) _; rewrite -[2%:R]/(1 + 1) ler_add.
Qed.

(* wishart.psd-preservation. *)
Theorem gram_plus_wishart_is_semidefinite n m (X : 'M[R]_(d, n)) (G : 'M[R]_(d, m)) (c : R) :
  0 <= c -> semidefinite (c *: (X *m X^T) + G *m G^T).
Proof.
move=> c0 u; rewrite formD formZ -{1}[X]trmxK -{1}[G]trmxK !form_gram.
by rewrite addr_ge0 ?mulr_ge0 ?norm2_ge0.
Qed.

End second_moments.

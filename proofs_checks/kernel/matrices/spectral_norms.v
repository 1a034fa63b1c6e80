(* Spectral norm and Frobenius norm of matrices of every size. `spectral_bound A c` says that the spectral norm of A is
   at most c. Eigenvalues move by at most the spectral norm of what is added, and by at most its Frobenius norm. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPMatrix.matrices Require Import inner_products spectral_theorem eigenvalues.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Definition spectral_bound (R : realFieldType) n d (A : 'M[R]_(n, d)) (c : R) :=
  0 <= c /\ forall x : 'cV[R]_d, norm2 (A *m x) <= c ^+ 2 * norm2 x.

Section ordered_field.
Variable R : realFieldType.

Lemma dot_le d (u v : 'cV[R]_d) (p q : R) :
  0 <= p -> 0 <= q -> norm2 u <= p ^+ 2 -> norm2 v <= q ^+ 2 -> `|dot u v| <= p * q.
Proof.
move=> p0 q0 up vq; rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?normr_ge0 ?mulr_ge0 // real_normK ?num_real // exprMn.
by apply: le_trans (cauchy_schwarz u v) _; rewrite ler_pmul ?norm2_ge0.
Qed.

Lemma spectral_form d (A : 'M[R]_d) c x : spectral_bound A c -> `|form A x| <= c * norm2 x.
Proof.
move=> [c0 Ac]; rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?normr_ge0 ?mulr_ge0 ?norm2_ge0 // real_normK ?num_real //.
apply: le_trans (cauchy_schwarz _ _) _; rewrite exprMn [norm2 x ^+ 2]expr2 mulrCA ler_wpmul2l ?norm2_ge0 //.
Qed.

Lemma spectral_form_unit d (A : 'M[R]_d) c x : spectral_bound A c -> norm2 x = 1 -> `|form A x| <= c.
Proof. by move=> Ac x1; have := spectral_form x Ac; rewrite x1 mulr1. Qed.

Lemma spectral_boundN n d (A : 'M[R]_(n, d)) c : spectral_bound A c -> spectral_bound (- A) c.
Proof. by move=> [c0 Ac]; split=> // x; rewrite mulNmx /norm2 dotNl dotNr opprK; exact: Ac. Qed.

Lemma spectral_boundW n d (A : 'M[R]_(n, d)) b c : b <= c -> spectral_bound A b -> spectral_bound A c.
Proof.
move=> bc [b0 Ab]; split=> [|x]; first exact: le_trans bc.
by apply: le_trans (Ab x) _; rewrite ler_wpmul2r ?norm2_ge0 // ler_pexpn2r ?nnegrE // (le_trans b0).
Qed.

Lemma spectral_boundM m n d (A : 'M[R]_(m, n)) (B : 'M[R]_(n, d)) b c :
  spectral_bound A b -> spectral_bound B c -> spectral_bound (A *m B) (b * c).
Proof.
move=> [b0 Ab] [c0 Bc]; split=> [|x]; first by rewrite mulr_ge0.
by rewrite -mulmxA exprMn -mulrA; apply: le_trans (Ab _) _; rewrite ler_wpmul2l ?sqr_ge0.
Qed.

Lemma frobenius2_columns n d (A : 'M[R]_(n, d)) : frobenius2 A = \sum_j norm2 (col j A).
Proof.
rewrite /frobenius2 exchange_big; apply: eq_bigr => j _; apply: eq_bigr => i _.
by rewrite mxE expr2.
Qed.

Lemma frobenius2T n d (A : 'M[R]_(n, d)) : frobenius2 A^T = frobenius2 A.
Proof. by rewrite /frobenius2 exchange_big; apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite mxE. Qed.

Theorem frobenius2_product m n d (A : 'M[R]_(m, n)) (B : 'M[R]_(n, d)) c :
  spectral_bound A c -> frobenius2 (A *m B) <= c ^+ 2 * frobenius2 B.
Proof.
move=> [c0 Ac]; rewrite !frobenius2_columns mulr_sumr; apply: ler_sum => j _.
by rewrite colE -mulmxA -colE.
Qed.

Theorem spectral_below_frobenius n d (A : 'M[R]_(n, d)) x : norm2 (A *m x) <= frobenius2 A * norm2 x.
Proof.
rewrite /frobenius2 mulr_suml; apply: ler_sum => i _.
have -> : (A *m x) i 0 = dot (row i A)^T x by rewrite mxE; apply: eq_bigr => j _; rewrite !mxE.
rewrite -expr2 (le_trans (cauchy_schwarz _ _)) // ler_wpmul2r ?norm2_ge0 //.
by apply: ler_sum => j _; rewrite !mxE expr2.
Qed.

End ordered_field.

Section real_closed_field.
Variable R : rcfType.
Variable d : nat.
Implicit Types (A B Q : 'M[R]_d) (l a b : 'rV[R]_d).

Lemma eigenvector_image Q l A x : spectrum Q l A -> norm2 (A *m x) = \sum_i l 0 i ^+ 2 * dot (col i Q) x ^+ 2.
Proof.
move=> S; have [QQ AE _] := S; rewrite (norm2_coordinates _ QQ); apply: eq_bigr => i _.
by rewrite dot_mulr (spectrum_symmetric S) (eigenvector i S) dotZl exprMn.
Qed.

Lemma spectral_bound_eigenvalues Q l A c :
  spectrum Q l A -> 0 <= c -> (forall i, `|l 0 i| <= c) -> spectral_bound A c.
Proof.
move=> S c0 lc; split=> // x; have [QQ _ _] := S.
rewrite (eigenvector_image x S) (norm2_coordinates x QQ) mulr_sumr; apply: ler_sum => i _.
by rewrite ler_wpmul2r ?sqr_ge0 // -(real_normK (num_real (l 0 i))) ler_pexpn2r ?nnegrE ?normr_ge0.
Qed.

Lemma spectral_bound_form A c :
  symmetric A -> 0 <= c -> (forall x, `|form A x| <= c * norm2 x) -> spectral_bound A c.
Proof.
move=> /spectral_theorem [Q [l S]] c0 Ac; have [QQ _ _] := S.
apply: (spectral_bound_eigenvalues S c0) => i.
by rewrite -(form_eigenvector i S) (le_trans (Ac _)) // norm2_col ?mulr1.
Qed.

Lemma spectral_bound_frobenius A : spectral_bound A (Num.sqrt (frobenius2 A)).
Proof.
by split=> [|x]; rewrite ?sqrtr_ge0 // sqr_sqrtr ?frobenius2_ge0 ?spectral_below_frobenius.
Qed.

(* Each eigenvalue moves by at most the spectral norm of the change. *)
Theorem eigenvalue_shift QA a A QC c (W : 'M[R]_d) w i :
  spectrum QA a A -> spectrum QC c (A + W) -> spectral_bound W w -> `|c 0 i - a 0 i| <= w.
Proof.
move=> SA SC Ww; have symW : symmetric W.
  move: (spectrum_symmetric SC); rewrite /symmetric linearD /= (spectrum_symmetric SA).
  by move/addrI.
have [QB [b SB]] := spectral_theorem symW; have [QQ _ _] := SB.
have d0 : (0 < d)%N by apply: leq_ltn_trans (ltn_ord i).
have d1 : (d.-1 < d)%N by rewrite prednK.
pose i0 := Ordinal d0; pose i1 := Ordinal d1.
have bw j : `|b 0 j| <= w by rewrite -(form_eigenvector j SB) spectral_form_unit ?norm2_col.
rewrite ler_norml; apply/andP; split.
  rewrite ler_subr_addr addrC; apply: le_trans (@weyl_lower R d QA a A QB b W QC c i i1 i SA SB SC erefl).
  by rewrite ler_add2l; have := bw i1; rewrite ler_norml => /andP[].
rewrite ler_subl_addl; apply: le_trans (@weyl_upper R d QA a A QB b W QC c i i0 i SA SB SC (addn0 i)) _.
by rewrite ler_add2l; have := bw i0; rewrite ler_norml => /andP[].
Qed.

(* Each eigenvalue is a 1-Lipschitz function of the matrix in Frobenius norm. *)
Theorem eigenvalues_are_lipschitz QA a A QB b B i :
  spectrum QA a A -> spectrum QB b B -> `|b 0 i - a 0 i| <= Num.sqrt (frobenius2 (B - A)).
Proof.
move=> SA SB; apply: (eigenvalue_shift i SA _ (spectral_bound_frobenius _)).
by rewrite addrC subrK; exact: SB.
Qed.

End real_closed_field.
